//! Records what a Rust program computes, frame by frame, as samebits.h does for C: the same bytes for
//! the same run. `samebits diagnose a.sbt b.sbt` names the first frame and fields that differ.
//!
//! A crate of its own, without std and dependencies: `src/lib.rs` beside a `Cargo.toml` with
//! `[package] name = "samebits_recorder"`, `version = "0.1.0"`, `edition = "2021"`.
//!
//! ```ignore
//! let mut run = Recorder::new("pinball", "1.4", |data: &[u8]| file.write_all(data).is_ok());
//! run.region("balls", "{pos:float2 live:bool}[64]")?;
//! run.begin(-1, |_| ())?;
//! set_up(&mut world);
//! run.end(-1, |v| for ball in &world.balls { v.f32(ball.x); v.f32(ball.y); v.bool(ball.live) })?;
//! ```
//!
//! The closure of `end` puts the numbers of all regions, in the order of their layouts; of a heap
//! first how many items there are. Layouts are those of samebits.h; sizes, padding and offsets in
//! memory are passed over. Give it a file that is not buffered, so that a record outlives the program.
#![no_std]
extern crate alloc;

use alloc::{format, string::String, vec, vec::Vec};

/// What is wrong, and what to do.
pub type Fault = String;

const MOST_BYTES: u64 = 1 << 28;
const MOST_FRAMES: i64 = 1 << 22;
const KEPT: u32 = 1;
const OVERFLOWED: u32 = 2;
/// Names and canonical bytes of numbers.
const SCALARS: [(&str, u64); 17] = [
    ("bool", 1), ("i8", 1), ("u8", 1), ("i16", 2), ("u16", 2), ("i32", 4), ("u32", 4), ("i64", 8),
    ("u64", 8), ("f16", 2), ("f32", 4), ("f64", 8), ("int", 4), ("uint", 4), ("long", 8),
    ("ulong", 8), ("size", 8),
];
const VECTORS: [(&str, u64); 4] = [("float", 4), ("double", 8), ("int", 4), ("uint", 4)];

struct Layout<'a> {
    text: &'a [u8],
    at: usize,
}

impl Layout<'_> {
    /// The canonical bytes of a layout's type.
    fn size_of(text: &str) -> Result<u64, Fault> {
        let mut layout = Layout { text: text.as_bytes(), at: 0 };
        let size = layout.whole_type(0)?;
        layout.blanks();
        if layout.at < text.len() {
            return layout.wrong("does not end with its type");
        }
        Ok(size)
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), b' ' | b',' | b'\n' | b'\t') {
            self.at += 1;
        }
    }

    fn wrong<T>(&self, what: &str) -> Result<T, Fault> {
        Err(format!("a layout {what}, at byte {} of {}", self.at, String::from_utf8_lossy(self.text)))
    }

    fn word(&mut self) -> &str {
        let start = self.at;
        while self.peek().is_ascii_alphabetic()
            || self.peek() == b'_'
            || (self.at > start && self.peek().is_ascii_digit())
        {
            self.at += 1;
        }
        core::str::from_utf8(&self.text[start..self.at]).unwrap_or("")
    }

    fn number(&mut self) -> Result<u64, Fault> {
        let start = self.at;
        let mut value = 0;
        while self.peek().is_ascii_digit() && self.at < start + 9 {
            value = value * 10 + u64::from(self.peek() - b'0');
            self.at += 1;
        }
        if self.at == start { self.wrong("lacks a number") } else { Ok(value) }
    }

    fn whole_type(&mut self, depth: u32) -> Result<u64, Fault> {
        if depth > 16 {
            return self.wrong("nests structs more than 16 deep");
        }
        self.blanks();
        let mut size = if self.peek() == b'{' { self.fields(depth)? } else { self.scalar()? };
        while self.peek() == b'[' {
            while matches!(self.peek(), b'[' | b',') {
                self.at += 1;
                self.blanks();
                let length = self.number()?;
                if length == 0 {
                    return self.wrong("has an array without elements");
                }
                size *= length;
                if size > MOST_BYTES {
                    return self.wrong("has more than 256 MiB");
                }
                while self.peek() == b' ' {
                    self.at += 1;
                }
            }
            if self.peek() != b']' {
                return self.wrong("lacks a ]");
            }
            self.at += 1;
        }
        Ok(size)
    }

    fn scalar(&mut self) -> Result<u64, Fault> {
        let word = String::from(self.word());
        if let Some((_, size)) = SCALARS.iter().find(|(name, _)| *name == word) {
            return Ok(*size);
        }
        for (name, size) in VECTORS {
            match word.strip_prefix(name).map(|rest| rest.as_bytes()) {
                Some([count @ b'2'..=b'4']) => return Ok(size * u64::from(count - b'0')),
                _ => continue,
            }
        }
        self.wrong("has no type that there is")
    }

    fn fields(&mut self, depth: u32) -> Result<u64, Fault> {
        let mut size = 0;
        self.at += 1;
        self.blanks();
        while self.peek() != b'}' {
            if self.peek() == b'@' {
                self.at += 1;
                self.number()?;
                self.blanks();
            }
            let name = String::from(self.word());
            if name.is_empty() || self.peek() != b':' {
                return self.wrong("has no field as name:type");
            }
            self.at += 1;
            if name == "_" {
                self.number()?;
            } else {
                size += self.whole_type(depth + 1)?;
            }
            if size > MOST_BYTES {
                return self.wrong("has more than 256 MiB");
            }
            self.blanks();
        }
        self.at += 1;
        if size == 0 { self.wrong("has a struct without fields") } else { Ok(size) }
    }
}

/// XXH64 (Yann Collet's xxHash) of bytes under a seed.
pub fn xxh64(bytes: &[u8], seed: u64) -> u64 {
    const P1: u64 = 0x9E37_79B1_85EB_CA87;
    const P2: u64 = 0xC2B2_AE3D_27D4_EB4F;
    const P3: u64 = 0x1656_67B1_9E37_79F9;
    const P4: u64 = 0x85EB_CA77_C2B2_AE63;
    const P5: u64 = 0x27D4_EB2F_1656_67C5;
    let round = |acc: u64, lane: u64| {
        acc.wrapping_add(lane.wrapping_mul(P2)).rotate_left(31).wrapping_mul(P1)
    };
    let word = |part: &[u8]| part.iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
    let mut h = seed.wrapping_add(P5);
    let mut stripes = bytes.chunks_exact(32);
    if bytes.len() >= 32 {
        let first = seed.wrapping_add(P1).wrapping_add(P2);
        let mut lanes = [first, seed.wrapping_add(P2), seed, seed.wrapping_sub(P1)];
        for stripe in &mut stripes {
            for (lane, part) in lanes.iter_mut().zip(stripe.chunks_exact(8)) {
                *lane = round(*lane, word(part));
            }
        }
        h = lanes.iter().zip([1, 7, 12, 18]).fold(0, |sum: u64, (lane, turn)| {
            sum.wrapping_add(lane.rotate_left(turn))
        });
        for lane in lanes {
            h = (h ^ round(0, lane)).wrapping_mul(P1).wrapping_add(P4);
        }
    }
    h = h.wrapping_add(bytes.len() as u64);
    let mut eights = stripes.remainder().chunks_exact(8);
    for part in &mut eights {
        h = (h ^ round(0, word(part))).rotate_left(27).wrapping_mul(P1).wrapping_add(P4);
    }
    let mut rest = eights.remainder();
    if rest.len() >= 4 {
        let lane = word(&rest[..4]).wrapping_mul(P1);
        h = (h ^ lane).rotate_left(23).wrapping_mul(P2).wrapping_add(P3);
        rest = &rest[4..];
    }
    for byte in rest {
        h = (h ^ u64::from(*byte).wrapping_mul(P5)).rotate_left(11).wrapping_mul(P1);
    }
    h = (h ^ h >> 33).wrapping_mul(P2);
    h = (h ^ h >> 29).wrapping_mul(P3);
    h ^ h >> 32
}

struct Region {
    name: String,
    layout: String,
    capacity: u32,
    item: u64,
}

/// Numbers in canonical bytes, put in the order of the layouts.
pub struct Values {
    out: Vec<u8>,
    counts: Vec<(usize, u32)>,
}

impl Values {
    pub fn bool(&mut self, value: bool) {
        self.out.push(u8::from(value));
    }
    pub fn u8(&mut self, value: u8) {
        self.out.push(value);
    }
    pub fn i8(&mut self, value: i8) {
        self.out.extend(value.to_le_bytes());
    }
    pub fn u16(&mut self, value: u16) {
        self.out.extend(value.to_le_bytes());
    }
    pub fn i16(&mut self, value: i16) {
        self.out.extend(value.to_le_bytes());
    }
    pub fn u32(&mut self, value: u32) {
        self.out.extend(value.to_le_bytes());
    }
    pub fn i32(&mut self, value: i32) {
        self.out.extend(value.to_le_bytes());
    }
    pub fn u64(&mut self, value: u64) {
        self.out.extend(value.to_le_bytes());
    }
    pub fn i64(&mut self, value: i64) {
        self.out.extend(value.to_le_bytes());
    }
    /// The bits of a binary16.
    pub fn f16(&mut self, bits: u16) {
        self.u16(if bits & 0x7fff > 0x7c00 { 0x7e00 } else { bits });
    }
    pub fn f32(&mut self, value: f32) {
        self.u32(if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() });
    }
    pub fn f64(&mut self, value: f64) {
        self.u64(if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() });
    }
    /// How many items of a heap follow.
    pub fn items(&mut self, count: u32) {
        self.counts.push((self.out.len(), count));
    }
}

/// Takes each record; false where it cannot be written.
pub trait Sink {
    fn write(&mut self, data: &[u8]) -> bool;
}

impl<F: FnMut(&[u8]) -> bool> Sink for F {
    fn write(&mut self, data: &[u8]) -> bool {
        self(data)
    }
}

fn text(out: &mut Vec<u8>, value: &str) {
    let bytes = &value.as_bytes()[..value.len().min(0xffff)];
    out.extend((bytes.len() as u16).to_le_bytes());
    out.extend(bytes);
}

/// A run, as it is recorded.
pub struct Recorder<S: Sink> {
    sink: S,
    name: String,
    version: String,
    facts: Vec<u8>,
    regions: Vec<Region>,
    input: String,
    input_size: u64,
    players: u32,
    /// Before the first frame.
    pub seed: u64,
    pub rate: u32,
    /// States are kept whole until they take so many bytes.
    pub limit: u64,
    kept: u64,
    window: (i64, i64),
    frame: Option<i64>,
    in_frame: bool,
}

impl<S: Sink> Recorder<S> {
    pub fn new(name: &str, version: &str, mut sink: S) -> Self {
        sink.write(b"\x89SBT\r\n\x1a\n\x01\0\0\0\0\0\0\0");
        let mut run = Recorder {
            sink, name: name.into(), version: version.into(), facts: vec![], regions: vec![],
            input: String::new(), input_size: 64, players: 0, seed: 0, rate: 60, limit: MOST_BYTES,
            kept: 0, window: (i64::MIN, i64::MAX), frame: None, in_frame: false,
        };
        run.fact("language", "Rust");
        let machines = ["x86_64", "aarch64", "riscv64", "s390x", "arm", "wasm32"];
        let here = [
            cfg!(target_arch = "x86_64"), cfg!(target_arch = "aarch64"),
            cfg!(target_arch = "riscv64"), cfg!(target_arch = "s390x"),
            cfg!(target_arch = "arm"), cfg!(target_arch = "wasm32"),
        ];
        if let Some(at) = here.iter().position(|is| *is) {
            run.fact("architecture", machines[at]);
        }
        run
    }

    /// Anything else to be known of the run, before its first frame: compiler, flags, system.
    pub fn fact(&mut self, name: &str, value: &str) {
        text(&mut self.facts, name);
        text(&mut self.facts, value);
    }

    /// A part of the state.
    pub fn region(&mut self, name: &str, layout: &str) -> Result<(), Fault> {
        self.add(name, layout, 0)
    }

    /// State of changing size: at most `capacity` items, in the same order on every machine.
    pub fn heap(&mut self, name: &str, layout: &str, capacity: u32) -> Result<(), Fault> {
        if capacity == 0 {
            return Err("a heap has a capacity of 1 or more".into());
        }
        self.add(name, layout, capacity)
    }

    fn add(&mut self, name: &str, layout: &str, capacity: u32) -> Result<(), Fault> {
        if self.frame.is_some() {
            return Err("a region comes late: say it before the first begin".into());
        }
        let mut word = Layout { text: name.as_bytes(), at: 0 };
        if name.is_empty() || word.word().len() != name.len() {
            return Err(format!("a region's name is letters and digits, not {name}"));
        }
        let item = Layout::size_of(layout)?;
        if item * u64::from(capacity.max(1)) > MOST_BYTES {
            return Err(format!("more than 256 MiB in {name}"));
        }
        self.regions.push(Region { name: name.into(), layout: layout.into(), capacity, item });
        Ok(())
    }

    /// The input of one player, and how many players there are.
    pub fn input(&mut self, layout: &str, players: u32) -> Result<(), Fault> {
        self.input_size = Layout::size_of(layout)? * u64::from(players);
        self.input = layout.into();
        self.players = players;
        Ok(())
    }

    /// The frames whose states are kept whole, `first` to `stop` - 1.
    pub fn keep(&mut self, first: i64, stop: i64) {
        self.window = (first, stop);
    }

    /// A frame begins; the first is -1, the set-up. `input` puts the inputs, player after player, or
    /// nothing.
    pub fn begin(&mut self, frame: i64, input: impl FnOnce(&mut Values)) -> Result<(), Fault> {
        let last = self.frame.unwrap_or(-2);
        if self.in_frame || !(-1..MOST_FRAMES).contains(&frame) || frame > last + 1 {
            return Err(format!("frame {frame} does not follow frame {last}: -1 is the set-up"));
        }
        if self.frame.is_none() {
            self.start()?;
        }
        let mut given = Values { out: vec![], counts: vec![] };
        input(&mut given);
        let size = given.out.len() as u64;
        if size > self.input_size || (self.players > 0 && size != 0 && size != self.input_size) {
            return Err(format!("an input of {size} bytes where {} are told", self.input_size));
        }
        (self.frame, self.in_frame) = (Some(frame), true);
        let mut body = frame.to_le_bytes().to_vec();
        body.extend(given.out);
        self.record(b"begn", &body, body.len())
    }

    /// The frame ends. `state` puts the numbers of all regions, in order.
    pub fn end(&mut self, frame: i64, state: impl FnOnce(&mut Values)) -> Result<(), Fault> {
        if !self.in_frame || self.frame != Some(frame) {
            return Err(format!("frame {frame} ends, and has not begun"));
        }
        let mut values = Values { out: vec![], counts: vec![] };
        state(&mut values);
        let (mut whole, mut held) = (Vec::new(), Vec::new());
        let (mut at, mut counts, mut flags) = (0, values.counts.iter(), 0);
        for region in &self.regions {
            let mut items = 1;
            if region.capacity > 0 {
                let told = counts.next().filter(|(place, _)| *place == at);
                let (_, count) = told.ok_or(format!("items() is missing before {}", region.name))?;
                if *count > region.capacity {
                    flags |= OVERFLOWED;
                }
                whole.extend(count.to_le_bytes());
                held.extend(count.to_le_bytes());
                items = *count;
            }
            let part = values.out.get(at..at + (u64::from(items) * region.item) as usize);
            let part = part.ok_or(format!("{} has fewer numbers than its layout", region.name))?;
            at += part.len();
            let most = (u64::from(region.capacity.max(1)) * region.item) as usize;
            let part = &part[..part.len().min(most)];
            whole.extend(part);
            held.extend(part);
            if region.capacity > 0 {
                whole.resize(whole.len() + most - part.len(), 0);
            }
        }
        if at != values.out.len() {
            return Err(format!("{} bytes more than the layouts have", values.out.len() - at));
        }
        self.in_frame = false;
        let is_kept = frame + 1 >= self.window.0
            && frame < self.window.1
            && self.kept + held.len() as u64 <= self.limit;
        if is_kept {
            flags |= KEPT;
            self.kept += held.len() as u64;
        } else {
            held.clear();
        }
        let mut body = frame.to_le_bytes().to_vec();
        body.extend(xxh64(&whole, 0).to_le_bytes());
        body.extend(flags.to_le_bytes());
        body.extend((held.len() as u32).to_le_bytes());
        body.extend(held);
        self.record(b"done", &body, 24)
    }

    /// Ends the record, and gives the sink back.
    pub fn close(mut self) -> Result<S, Fault> {
        if let (Some(frame), false) = (self.frame, self.in_frame) {
            self.record(b"ends", &frame.to_le_bytes(), 8)?;
        }
        Ok(self.sink)
    }

    fn start(&mut self) -> Result<(), Fault> {
        if self.regions.is_empty() {
            return Err("no region: say region() before the first frame".into());
        }
        let mut body = Vec::new();
        text(&mut body, &self.name);
        text(&mut body, &self.version);
        body.extend(self.seed.to_le_bytes());
        body.extend(self.rate.to_le_bytes());
        body.extend(self.players.to_le_bytes());
        text(&mut body, &self.input);
        body.extend((self.regions.len() as u32).to_le_bytes());
        for region in &self.regions {
            body.extend(region.capacity.to_le_bytes());
            text(&mut body, &region.name);
            text(&mut body, &region.layout);
        }
        self.record(b"run ", &body, body.len())?;
        let facts = core::mem::take(&mut self.facts);
        self.record(b"fact", &facts, facts.len())
    }

    fn record(&mut self, kind: &[u8; 4], body: &[u8], covered: usize) -> Result<(), Fault> {
        let mut out = kind.to_vec();
        out.extend((body.len() as u32).to_le_bytes());
        let head = out.iter().rev().fold(0u64, |sum, byte| sum << 8 | u64::from(*byte));
        out.extend(xxh64(&body[..covered], head).to_le_bytes());
        out.extend(body);
        out.resize(out.len().next_multiple_of(8), 0);
        if self.sink.write(&out) { Ok(()) } else { Err("the record cannot be written".into()) }
    }
}
