// Records what a C# program computes, frame by frame, as samebits.h does for C: the same bytes for the
// same run. `samebits diagnose a.sbt b.sbt` names the first frame and fields that differ.
//
//     var run = new Recorder("pinball", "1.4", File.Create("run.sbt"));
//     run.Region("balls", "{pos:float2 live:bool}[64]");
//     run.Begin(-1);  SetUp();  run.End(-1, Put);
//     run.Begin(n, v => v.U32(buttons));  Step();  run.End(n, Put);
//     run.Close();
//
// Put gives the numbers of all regions, in the order of their layouts; of a heap first how many items
// there are. Layouts are those of samebits.h; sizes, padding and offsets in memory are passed over.
// Each record is written and flushed at once, so that what is written outlives the program. One file,
// C# 6, no native code: .NET, Mono and Unity.
using System;
using System.Collections.Generic;
using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Samebits
{
    /// <summary>What was done that a record does not allow.</summary>
    public class RecorderException : Exception
    {
        public RecorderException(string message) : base(message) { }
    }

    /// <summary>Numbers in canonical bytes, put in the order of the layouts.</summary>
    public sealed class Values
    {
        [StructLayout(LayoutKind.Explicit)]
        struct Single32 { [FieldOffset(0)] public float Value; [FieldOffset(0)] public uint Bits; }

        internal byte[] Out = new byte[256];
        internal int Length;
        internal readonly List<KeyValuePair<int, uint>> Counts = new List<KeyValuePair<int, uint>>();

        internal void Clear() { Length = 0; Counts.Clear(); }

        internal void Word(ulong value, int size)
        {
            if (Length + size > Out.Length) Array.Resize(ref Out, (Length + size) * 2);
            for (int k = 0; k < size; k++) Out[Length++] = (byte)(value >> 8 * k);
        }

        internal void Bytes(byte[] data, int from, int count)
        {
            if (Length + count > Out.Length) Array.Resize(ref Out, (Length + count) * 2);
            Array.Copy(data, from, Out, Length, count);
            Length += count;
        }

        internal void Zeros(int count) { Bytes(new byte[count], 0, count); }

        internal void Text(string value)
        {
            byte[] data = Encoding.UTF8.GetBytes(value ?? "");
            if (data.Length > 0xffff) throw new RecorderException("a text of more than 65,535 bytes");
            Word((ulong)data.Length, 2);
            Bytes(data, 0, data.Length);
        }

        public void Bool(bool value) { Word(value ? 1u : 0u, 1); }
        public void I8(sbyte value) { Word((byte)value, 1); }
        public void U8(byte value) { Word(value, 1); }
        public void I16(short value) { Word((ushort)value, 2); }
        public void U16(ushort value) { Word(value, 2); }
        public void I32(int value) { Word((uint)value, 4); }
        public void U32(uint value) { Word(value, 4); }
        public void I64(long value) { Word((ulong)value, 8); }
        public void U64(ulong value) { Word(value, 8); }
        /// <summary>The bits of a binary16.</summary>
        public void F16(ushort bits) { U16((bits & 0x7fff) > 0x7c00 ? (ushort)0x7e00 : bits); }
        public void F32(float value)
        {
            uint bits = new Single32 { Value = value }.Bits;
            U32((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc00000u : bits);
        }
        public void F64(double value)
        {
            ulong bits = (ulong)BitConverter.DoubleToInt64Bits(value);
            U64((bits & 0x7fffffffffffffffUL) > 0x7ff0000000000000UL ? 0x7ff8000000000000UL : bits);
        }
        /// <summary>How many items of a heap follow.</summary>
        public void Items(int count) { Counts.Add(new KeyValuePair<int, uint>(Length, (uint)count)); }
    }

    /// <summary>XXH64 (Yann Collet's xxHash).</summary>
    public static class Xxh64
    {
        const ulong P1 = 0x9E3779B185EBCA87UL, P2 = 0xC2B2AE3D27D4EB4FUL, P3 = 0x165667B19E3779F9UL;
        const ulong P4 = 0x85EBCA77C2B2AE63UL, P5 = 0x27D4EB2F165667C5UL;

        static ulong Rotated(ulong v, int n) { return v << n | v >> 64 - n; }

        static ulong Round(ulong acc, ulong lane) { unchecked { return Rotated(acc + lane * P2, 31) * P1; } }

        static ulong Lane(byte[] p, int at, int bytes)
        {
            ulong v = 0;
            for (int k = bytes - 1; k >= 0; k--) v = v << 8 | p[at + k];
            return v;
        }

        public static ulong Hash(byte[] p, int at, int size, ulong seed)
        {
            unchecked
            {
                int end = at + size;
                ulong h = seed + P5;
                if (size >= 32)
                {
                    ulong a = seed + P1 + P2, b = seed + P2, c = seed, d = seed - P1;
                    for (; end - at >= 32; at += 32)
                    {
                        a = Round(a, Lane(p, at, 8));
                        b = Round(b, Lane(p, at + 8, 8));
                        c = Round(c, Lane(p, at + 16, 8));
                        d = Round(d, Lane(p, at + 24, 8));
                    }
                    h = Rotated(a, 1) + Rotated(b, 7) + Rotated(c, 12) + Rotated(d, 18);
                    foreach (ulong each in new[] { a, b, c, d }) h = (h ^ Round(0, each)) * P1 + P4;
                }
                h += (ulong)size;
                for (; end - at >= 8; at += 8) h = Rotated(h ^ Round(0, Lane(p, at, 8)), 27) * P1 + P4;
                if (end - at >= 4)
                {
                    h = Rotated(h ^ Lane(p, at, 4) * P1, 23) * P2 + P3;
                    at += 4;
                }
                for (; at < end; at++) h = Rotated(h ^ p[at] * P5, 11) * P1;
                h = (h ^ h >> 33) * P2;
                h = (h ^ h >> 29) * P3;
                return h ^ h >> 32;
            }
        }
    }

    /// <summary>The canonical bytes of layouts.</summary>
    sealed class Layout
    {
        static readonly Dictionary<string, long> Sizes = new Dictionary<string, long> {
            {"bool", 1}, {"i8", 1}, {"u8", 1}, {"i16", 2}, {"u16", 2}, {"i32", 4}, {"u32", 4},
            {"i64", 8}, {"u64", 8}, {"f16", 2}, {"f32", 4}, {"f64", 8}, {"int", 4}, {"uint", 4},
            {"long", 8}, {"ulong", 8}, {"size", 8},
        };
        const long Most = 1 << 28;
        readonly string text;
        int at;

        Layout(string text)
        {
            this.text = text;
            foreach (string name in new[] { "float", "double", "int", "uint" })
                for (int n = 2; n <= 4; n++) Sizes[name + n] = n * (name == "double" ? 8 : 4);
        }

        public static long SizeOf(string text)
        {
            var layout = new Layout(text);
            long size = layout.Type(0);
            layout.Blanks();
            if (layout.at < text.Length) throw layout.Wrong("does not end with its type");
            return size;
        }

        char Peek { get { return at < text.Length ? text[at] : '\0'; } }

        void Blanks() { while (" ,\n\t".IndexOf(Peek) >= 0 && at < text.Length) at++; }

        RecorderException Wrong(string what)
        {
            return new RecorderException("the layout \"" + text + "\" " + what + ", at character " + at);
        }

        public static string WordAt(string text, int at)
        {
            int end = at;
            while (end < text.Length && (text[end] == '_' || (text[end] < 128 && char.IsLetter(text[end]))
                || (end > at && text[end] >= '0' && text[end] <= '9'))) end++;
            return text.Substring(at, end - at);
        }

        string Word()
        {
            string found = WordAt(text, at);
            at += found.Length;
            return found;
        }

        long Number()
        {
            int start = at;
            long value = 0;
            for (; Peek >= '0' && Peek <= '9' && at < start + 9; at++) value = value * 10 + (Peek - '0');
            if (at == start) throw Wrong("lacks a number");
            return value;
        }

        long Bounded(long size)
        {
            if (size > Most) throw Wrong("has more than 256 MiB");
            return size;
        }

        long Type(int depth)
        {
            if (depth > 16) throw Wrong("nests structs more than 16 deep");
            Blanks();
            long size = Peek == '{' ? Fields(depth) : Scalar();
            while (Peek == '[')
            {
                while (Peek == '[' || Peek == ',')
                {
                    at++;
                    Blanks();
                    long length = Number();
                    if (length == 0) throw Wrong("has an array without elements");
                    size = Bounded(size * length);
                    while (Peek == ' ') at++;
                }
                if (Peek != ']') throw Wrong("lacks a ]");
                at++;
            }
            return size;
        }

        long Scalar()
        {
            int start = at;
            long size;
            if (Sizes.TryGetValue(Word(), out size)) return size;
            at = start;
            throw Wrong("has no type that there is");
        }

        long Fields(int depth)
        {
            long size = 0;
            at++;
            for (Blanks(); Peek != '}'; Blanks())
            {
                if (Peek == '@')
                {
                    at++;
                    Number();
                    Blanks();
                }
                string name = Word();
                if (name == "" || Peek != ':') throw Wrong("has no field as name:type");
                at++;
                if (name == "_") Number();
                else size = Bounded(size + Type(depth + 1));
            }
            at++;
            if (size == 0) throw Wrong("has a struct without fields");
            return size;
        }
    }

    /// <summary>A run, as it is recorded.</summary>
    public sealed class Recorder
    {
        sealed class Part { public string Name, Layout; public uint Capacity; public int Item; }

        const uint Kept = 1, Overflowed = 2;
        readonly string name, version;
        readonly Stream stream;
        readonly Values facts = new Values(), values = new Values(), body = new Values();
        readonly Values whole = new Values(), held = new Values(), record = new Values();
        readonly List<Part> parts = new List<Part>();
        string input = "";
        int inputSize = 64;
        uint players;
        long first = long.MinValue, stop = long.MaxValue, kept, frame = -2;
        bool isStarted, isInFrame;

        /// <summary>Before the first frame.</summary>
        public ulong Seed;
        public uint Rate = 60;
        /// <summary>States are kept whole until they take so many bytes.</summary>
        public long Limit = 1 << 28;

        /// <summary>The stream is closed with the record.</summary>
        public Recorder(string name, string version, Stream stream)
        {
            this.name = name;
            this.version = version;
            this.stream = stream;
            var magic = new byte[] { 0x89, 0x53, 0x42, 0x54, 0x0d, 0x0a, 0x1a, 0x0a, 1, 0, 0, 0, 0, 0, 0, 0 };
            stream.Write(magic, 0, magic.Length);
            Fact("language", "C#");
            Fact("compiler", ".NET " + Environment.Version + (System.Type.GetType("Mono.Runtime") != null ? ", Mono" : ""));
        }

        /// <summary>Anything else to be known of the run: architecture, system, flags.</summary>
        public void Fact(string name, string value)
        {
            Early("a fact");
            facts.Text(name);
            facts.Text(value);
        }

        /// <summary>A part of the state.</summary>
        public void Region(string name, string layout) { Add(name, layout, 0); }

        /// <summary>State of changing size: at most so many items, in one order on every machine.</summary>
        public void Heap(string name, string layout, int capacity)
        {
            if (capacity < 1) throw new RecorderException("a heap has a capacity of 1 or more");
            Add(name, layout, (uint)capacity);
        }

        /// <summary>The input of one player, and how many players there are.</summary>
        public void Input(string layout, int count)
        {
            Early("the input's type");
            inputSize = checked((int)Layout.SizeOf(layout) * count);
            input = layout;
            players = (uint)count;
        }

        /// <summary>The frames whose states are kept whole, first to stop - 1.</summary>
        public void Keep(long first, long stop) { this.first = first; this.stop = stop; }

        /// <summary>A frame begins; the first is -1, the set-up. Inputs are put player after player.</summary>
        public void Begin(long next, Action<Values> put = null)
        {
            if (isInFrame || next < -1 || next >= 1 << 22 || next > frame + 1)
                throw new RecorderException("frame " + next + " does not follow frame " + frame + ": -1 is the set-up");
            if (!isStarted) Start();
            values.Clear();
            if (put != null) put(values);
            if (values.Length > inputSize || (players > 0 && values.Length > 0 && values.Length != inputSize))
                throw new RecorderException("an input of " + values.Length + " bytes where " + inputSize + " are told");
            frame = next;
            isInFrame = true;
            body.Clear();
            body.I64(frame);
            body.Bytes(values.Out, 0, values.Length);
            Write("begn", body, body.Length);
        }

        /// <summary>The frame ends: the numbers of all regions are put, in order.</summary>
        public void End(long ended, Action<Values> put)
        {
            if (!isInFrame || ended != frame)
                throw new RecorderException("frame " + ended + " ends, and has not begun");
            values.Clear();
            put(values);
            whole.Clear();
            held.Clear();
            uint flags = 0;
            int at = 0, counts = 0;
            foreach (Part part in parts)
            {
                long items = 1;
                if (part.Capacity > 0)
                {
                    if (counts >= values.Counts.Count || values.Counts[counts].Key != at)
                        throw new RecorderException("Items() is missing before " + part.Name);
                    items = values.Counts[counts++].Value;
                    if (items > part.Capacity) flags |= Overflowed;
                    whole.U32((uint)items);
                    held.U32((uint)items);
                }
                if (items * part.Item > values.Length - at)
                    throw new RecorderException(part.Name + " has fewer numbers than its layout");
                int most = checked((int)Math.Max(1, part.Capacity) * part.Item);
                int used = (int)Math.Min(items * part.Item, most);
                whole.Bytes(values.Out, at, used);
                held.Bytes(values.Out, at, used);
                if (part.Capacity > 0) whole.Zeros(most - used);
                at += (int)(items * part.Item);
            }
            if (at != values.Length)
                throw new RecorderException((values.Length - at) + " bytes more than the layouts have");
            isInFrame = false;
            bool isKept = frame + 1 >= first && frame < stop && kept + held.Length <= Limit;
            if (isKept) kept += held.Length;
            else held.Clear();
            body.Clear();
            body.I64(frame);
            body.U64(Xxh64.Hash(whole.Out, 0, whole.Length, 0));
            body.U32(flags | (isKept ? Kept : 0));
            body.U32((uint)held.Length);
            body.Bytes(held.Out, 0, held.Length);
            Write("done", body, 24);
        }

        /// <summary>Ends the record.</summary>
        public void Close()
        {
            if (isStarted && !isInFrame)
            {
                body.Clear();
                body.I64(frame);
                Write("ends", body, body.Length);
            }
            stream.Dispose();
        }

        void Early(string what)
        {
            if (isStarted) throw new RecorderException(what + " comes late: say it before the first Begin()");
        }

        void Add(string part, string layout, uint capacity)
        {
            Early("a region");
            if (part == "" || Layout.WordAt(part, 0) != part)
                throw new RecorderException("a region's name is letters and digits, not " + part);
            long item = Layout.SizeOf(layout);
            if (item * Math.Max(1, capacity) > 1 << 28) throw new RecorderException("more than 256 MiB in " + part);
            parts.Add(new Part { Name = part, Layout = layout, Capacity = capacity, Item = (int)item });
        }

        void Start()
        {
            if (parts.Count == 0) throw new RecorderException("no region: say Region() before the first frame");
            isStarted = true;
            body.Clear();
            body.Text(name);
            body.Text(version);
            body.U64(Seed);
            body.U32(Rate);
            body.U32(players);
            body.Text(input);
            body.U32((uint)parts.Count);
            foreach (Part part in parts)
            {
                body.U32(part.Capacity);
                body.Text(part.Name);
                body.Text(part.Layout);
            }
            Write("run ", body, body.Length);
            Write("fact", facts, facts.Length);
        }

        void Write(string kind, Values data, int covered)
        {
            record.Clear();
            foreach (char each in kind) record.U8((byte)each);
            record.U32((uint)data.Length);
            ulong seed = 0;
            for (int k = 7; k >= 0; k--) seed = seed << 8 | record.Out[k];
            record.U64(Xxh64.Hash(data.Out, 0, covered, seed));
            record.Bytes(data.Out, 0, data.Length);
            record.Zeros((8 - data.Length % 8) % 8);
            stream.Write(record.Out, 0, record.Length);
            stream.Flush();
        }
    }
}
