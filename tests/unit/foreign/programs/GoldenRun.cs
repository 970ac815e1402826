// The run of golden.sbt, as golden_run.c has it.
using System;
using System.IO;
using Samebits;

static class GoldenRun
{
    static readonly float[] x = { 0, 1, 2 };
    static int now;

    static void Step(int n)
    {
        for (int i = 0; i < 3; i++) x[i] += 0.5f;
        now = n;
    }

    static void Put(Values v)
    {
        int n = now;
        for (int i = 0; i < 3; i++)
        {
            v.F32(x[i]);
            v.F32((4 * i - n) * 0.25f);
            v.F32(n == 3 ? float.NaN : BitConverter.ToSingle(BitConverter.GetBytes(0x80000000u), 0));
            v.F64(n / 8.0);
            v.F64(n == 4 ? BitConverter.Int64BitsToDouble(unchecked((long)0xfff0000000000123UL)) : 1.0);
            v.I16((short)(n * 100 - i * 7));
            v.Bool((n & 1) == 1);
        }
        for (int i = 0; i < 16; i++) v.U8(unchecked((byte)(n * i)));
        v.I64(-(long)n << 40);
        v.I64(n);
        foreach (int bits in new[] { 0x3c00, 0x3c01, 0x3c02, 0x7c01 }) v.F16((ushort)bits);
        int sparks = (n + 5) % 5;
        v.Items(sparks);
        for (int k = 0; k < sparks; k++)
        {
            v.U32((uint)k * 3);
            v.F32(k * 0.5f);
        }
    }

    static void Play(Recorder run, int n, float more)
    {
        run.Begin(n, v => {
            for (int p = 0; p < 2 && n != 5; p++)
            {
                v.F32((n - 4 * p) * 0.25f + more);
                v.Bool((n + p) % 3 == 0);
            }
        });
        Step(n);
        run.End(n, Put);
    }

    static void Main(string[] arguments)
    {
        var run = new Recorder("golden", "1", File.Create(arguments[0])) { Seed = 7, Rate = 50 };
        run.Input("{push:f32 jump:bool}", 2);
        run.Region("balls", "{pos:float3 vel:{x:f64 y:f64} hp:i16 live:bool}[3]");
        run.Region("grid", "u8[4,4]");
        run.Region("wide", "i64[2]");
        run.Region("half", "f16[4]");
        run.Heap("sparks", "{id:u32 heat:f32}", 5);
        run.Begin(-1);
        Step(-1);
        run.End(-1, Put);
        for (int n = 0; n < 7; n++) Play(run, n, 0);
        for (int n = 5; n < 10; n++) Play(run, n, 0.5f);
        run.Close();
    }
}
