//! The quality of tool searches: measured by `eval`, and improved by the learned parameters of `fit` and `distill`.

mod arguments;
mod distill;
mod embedder;
mod eval;
mod fit;
mod onnxruntime;
mod set;

use arguments::{Arguments, Work};
use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    let outcome = match Arguments::parse().work {
        Work::Onnxruntime => onnxruntime::run(),
        Work::Eval(arguments) => eval::run(&arguments),
        Work::Distill(arguments) => distill::run(&arguments),
        Work::Fit(arguments) => fit::run(&arguments),
    };
    match outcome {
        Ok(text) => {
            if !text.is_empty() {
                println!("{text}");
            }
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}
