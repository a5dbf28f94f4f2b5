//! Chooses the steps, runs them all, and fails at the end if one failed.

use std::time::Instant;

use super::busy::BusyThreads;
use super::step::{Step, Verdict};
use super::steps::{self, STEPS};
use super::summary::{self, StepRun};

const HELP: &str = "usage: cargo xtask ci [--only STEP[,STEP]] [--skip STEP[,STEP]] [--full] [--stress]

Runs every step that is not marked with *, even after a failure, and ends with the sum of tests, doctests, peers and steps.
With CI=true in the environment a missing tool is a failure.

  --only STEP[,STEP]  run only these steps, whether marked or not
  --skip STEP[,STEP]  leave these steps out
  --full              also run the steps marked with *, which take long and seldom find more; no effect with --only
  --stress            run three busy threads on every core, to find tests that depend on the speed of the machine

The steps:";

/// The chosen steps, and whether the machine is kept busy.
struct Options {
    steps: Vec<&'static Step>,
    stress: bool,
}

pub(crate) fn run(arguments: &[String]) -> Result<(), String> {
    let Some(options) = parse(arguments)? else {
        println!("{HELP}");
        for step in STEPS {
            println!("{} {:<19} {}", if step.is_long { '*' } else { ' ' }, step.name, step.about);
        }
        return Ok(());
    };
    let _busy = options.stress.then(|| stress(&options.steps));
    let mut ran: Vec<StepRun> = Vec::new();
    for step in options.steps {
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

/// Builds the tests if they are among the steps, then starts the busy threads: a build under load proves nothing, and takes four times as
/// long.
fn stress(steps: &[&Step]) -> BusyThreads {
    if steps.iter().any(|step| step.name == "tests")
        && let Err(why) = steps::build_tests()
    {
        // The step fails for the same reason, and is counted.
        println!("{why}");
    }
    let busy = BusyThreads::start();
    println!("{} threads are busy until the last step has ended", busy.count());
    busy
}

/// Returns the options, or `None` if help was asked for.
fn parse(arguments: &[String]) -> Result<Option<Options>, String> {
    let (mut only, mut skipped) = (Vec::new(), Vec::new());
    let (mut full, mut stress) = (false, false);
    let mut arguments = arguments.iter();
    while let Some(argument) = arguments.next() {
        let list = match argument.as_str() {
            "--help" | "-h" => return Ok(None),
            "--full" => {
                full = true;
                continue;
            }
            "--stress" => {
                stress = true;
                continue;
            }
            "--only" => &mut only,
            "--skip" => &mut skipped,
            _ => {
                return Err(format!(
                    "unexpected argument `{argument}`: expected --only, --skip, --full, --stress or --help"
                ));
            }
        };
        let names = arguments.next().ok_or_else(|| format!("`{argument}` needs a list of steps"))?;
        for name in names.split(',') {
            if STEPS.iter().all(|step| step.name != name) {
                let known: Vec<_> = STEPS.iter().map(|step| step.name).collect();
                return Err(format!("unknown step `{name}`: expected one of {}", known.join(", ")));
            }
            list.push(name.to_owned());
        }
    }
    let names = |list: &[String], step: &Step| list.iter().any(|name| name == step.name);
    let is_chosen = |step: &&Step| {
        let is_wanted = if only.is_empty() { full || !step.is_long } else { names(&only, step) };
        is_wanted && !names(&skipped, step)
    };
    Ok(Some(Options { steps: STEPS.iter().filter(is_chosen).collect(), stress }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(arguments: &[&str]) -> Result<Vec<&'static str>, String> {
        let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
        Ok(parse(&arguments)?.unwrap().steps.iter().map(|step| step.name).collect())
    }

    #[test]
    fn steps_are_chosen_by_name_and_keep_their_order() {
        assert_eq!(names(&["--only", "tidy,fmt"]).unwrap(), ["fmt", "tidy"]);
        assert_eq!(names(&["--only", "tidy,fmt", "--skip", "fmt"]).unwrap(), ["tidy"]);
        assert_eq!(names(&["--only", "conformance,peers"]).unwrap(), ["peers", "conformance"]);
    }

    #[test]
    fn without_a_choice_every_step_of_the_gate_runs() {
        let of = |full: bool| STEPS.iter().filter(move |step| full || !step.is_long).map(|step| step.name);
        assert_eq!(names(&[]).unwrap(), of(false).collect::<Vec<_>>());
        assert_eq!(names(&["--skip", "fmt"]).unwrap(), of(false).skip(1).collect::<Vec<_>>());
        assert_eq!(names(&["--full"]).unwrap(), of(true).collect::<Vec<_>>());
        assert_eq!(names(&["--only", "fuzz"]).unwrap(), ["fuzz"]);
        assert!(STEPS.iter().any(|step| step.is_long));
    }

    #[test]
    fn the_machine_is_kept_busy_only_if_asked() {
        let stress = |arguments: &[&str]| {
            let arguments: Vec<_> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            parse(&arguments).unwrap().unwrap().stress
        };
        assert!(stress(&["--only", "tests", "--stress"]));
        assert!(!stress(&["--only", "tests"]));
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
