//! Chooses the steps, runs them all, and fails at the end if one failed.

use std::time::Instant;

use super::step::{Step, Verdict};
use super::steps::STEPS;
use super::summary::{self, StepRun};

const HELP: &str = "usage: cargo xtask ci [--only STEP[,STEP]] [--skip STEP[,STEP]]

Runs every step, also after one failed, and ends with the sum of tests, doctests, peers and steps.
With CI=true in the environment a missing tool is a failure.
The steps:";

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(chosen) = choose(arguments)? else {
        println!("{HELP}");
        for step in STEPS {
            println!("  {:<13} {}", step.name, step.about);
        }
        return Ok(());
    };
    let mut ran: Vec<StepRun> = Vec::new();
    for step in chosen {
        println!("\n== {}: {}", step.name, step.about);
        let start = Instant::now();
        let outcome = (step.run)();
        if let Verdict::Failed(why) = &outcome.verdict {
            println!("== {} failed: {why}", step.name);
        }
        ran.push((step.name, outcome, start.elapsed()));
    }
    // The closing line is the last one of stdout; the error goes to stderr.
    println!("\n{}", summary::text(&ran));
    let failed = ran.iter().filter(|(_, outcome, _)| matches!(outcome.verdict, Verdict::Failed(_)));
    let names: Vec<_> = failed.map(|(name, _, _)| *name).collect();
    if names.is_empty() { Ok(()) } else { Err(format!("failed: {}", names.join(", "))) }
}

/// Returns the chosen steps, or `None` if help was asked for.
fn choose(arguments: &[String]) -> Result<Option<Vec<&'static Step>>, String> {
    let mut chosen: Vec<&Step> = STEPS.iter().collect();
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let keep = match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--only" => true,
            "--skip" => false,
            _ => return Err(format!("unexpected argument `{argument}`: expected --only, --skip or --help")),
        };
        let list = arguments.next().ok_or_else(|| format!("`{argument}` needs a list of steps"))?;
        let names: Vec<&str> = list.split(',').collect();
        if let Some(unknown) = names.iter().find(|name| STEPS.iter().all(|step| step.name != **name)) {
            let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
            return Err(format!("unknown step `{unknown}`: expected one of {}", known.join(", ")));
        }
        chosen.retain(|step| names.contains(&step.name) == keep);
    }
    Ok(Some(chosen))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Result<Vec<&'static str>, String> {
        let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Ok(choose(&arguments)?.unwrap().iter().map(|step| step.name).collect())
    }

    #[test]
    fn steps_are_chosen_by_name_and_keep_their_order() {
        assert_eq!(names(&["--only", "tidy,fmt"]).unwrap(), ["fmt", "tidy"]);
        assert_eq!(names(&["--only", "tidy,fmt", "--skip", "fmt"]).unwrap(), ["tidy"]);
        assert_eq!(names(&["--only", "conformance,peers"]).unwrap(), ["peers", "conformance"]);
    }

    #[test]
    fn without_a_choice_every_step_is_run() {
        let all: Vec<_> = STEPS.iter().map(|step| step.name).collect();
        assert_eq!(names(&[]).unwrap(), all);
        assert_eq!(names(&["--skip", "fmt"]).unwrap(), all[1..]);
    }

    #[test]
    fn an_unknown_step_or_option_is_named() {
        assert!(
            names(&["--only", "fmt,tdiy"])
                .unwrap_err()
                .starts_with("unknown step `tdiy`: expected one of fmt,")
        );
        assert!(names(&["--fast"]).unwrap_err().contains("unexpected argument `--fast`"));
        assert!(names(&["--only"]).unwrap_err().contains("needs a list"));
    }
}
