//! LLVM's fuzzer, linked to the targets.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| xtask_fuzz::run_chosen(data));
