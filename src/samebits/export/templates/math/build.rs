//! The math functions of samebits: which of the libraries beside this crate fits the target.

use std::{env, path::Path};

const TARGETS: &[(&str, &str, &str)] = &[
@ROWS@
];

fn main() {
    let (arch, os) = (env::var("CARGO_CFG_TARGET_ARCH").unwrap(), env::var("CARGO_CFG_TARGET_OS").unwrap());
    println!("cargo:rerun-if-env-changed=SBMATH_TARGET");
    let wanted = env::var("SBMATH_TARGET").ok();
    let row = TARGETS.iter().find(|(name, a, o)| match &wanted {
        Some(target) => name == target,
        None => *a == arch && *o == os,
    });
    let Some((name, _, _)) = row else {
        panic!("sbmath has no library for {arch}-{os}; SBMATH_TARGET chooses one of {TARGETS:?}");
    };
    let folder = Path::new(&env::var("CARGO_MANIFEST_DIR").unwrap()).join("..").join(name);
    println!("cargo:rustc-link-search=native={}", folder.display());
    println!("cargo:rustc-link-lib=static=sbmath");
}
