// The run of golden.sbt, as golden_run.c has it.
use samebits_recorder::{Fault, Recorder};
use std::io::Write;

struct World {
    x: [f32; 3],
    n: i32,
}

impl World {
    fn step(&mut self, n: i32) {
        self.x.iter_mut().for_each(|x| *x += 0.5);
        self.n = n;
    }

    fn put(&self, v: &mut samebits_recorder::Values) {
        let n = self.n;
        for i in 0..3 {
            v.f32(self.x[i as usize]);
            v.f32((4 * i - n) as f32 * 0.25);
            v.f32(f32::from_bits(if n == 3 { 0x7fa0_0001 } else { 0x8000_0000 }));
            v.f64(f64::from(n) / 8.0);
            v.f64(if n == 4 { f64::from_bits(0xfff0_0000_0000_0123) } else { 1.0 });
            v.i16((n * 100 - i * 7) as i16);
            v.bool(n & 1 == 1);
        }
        (0..16).for_each(|i| v.u8((n * i) as u8));
        v.i64(-i64::from(n) << 40);
        v.i64(i64::from(n));
        [0x3c00, 0x3c01, 0x3c02, 0x7c01].iter().for_each(|bits| v.f16(*bits));
        let sparks = ((n + 5) % 5) as u32;
        v.items(sparks);
        for k in 0..sparks {
            v.u32(k * 3);
            v.f32(k as f32 * 0.5);
        }
    }
}

fn main() -> Result<(), Fault> {
    let path = std::env::args().nth(1).expect("a path");
    let mut file = std::fs::File::create(path).expect("a file");
    let mut run = Recorder::new("golden", "1", move |data: &[u8]| file.write_all(data).is_ok());
    run.seed = 7;
    run.rate = 50;
    run.input("{push:f32 jump:bool}", 2)?;
    run.region("balls", "{pos:float3 vel:{x:f64 y:f64} hp:i16 live:bool}[3]")?;
    run.region("grid", "u8[4,4]")?;
    run.region("wide", "i64[2]")?;
    run.region("half", "f16[4]")?;
    run.heap("sparks", "{id:u32 heat:f32}", 5)?;
    let mut world = World { x: [0.0, 1.0, 2.0], n: 0 };
    run.begin(-1, |_| ())?;
    world.step(-1);
    run.end(-1, |v| world.put(v))?;
    for (n, more) in (0..7).map(|n| (n, 0.0)).chain((5..10).map(|n| (n, 0.5))) {
        run.begin(i64::from(n), |v| {
            for p in (0..2).filter(|_| n != 5) {
                v.f32((n - 4 * p) as f32 * 0.25 + more);
                v.bool((n + p) % 3 == 0);
            }
        })?;
        world.step(n);
        run.end(i64::from(n), |v| world.put(v))?;
    }
    run.close().map(|_| ())
}
