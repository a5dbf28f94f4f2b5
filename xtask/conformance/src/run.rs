//! The whole run: install, build, legs, the closing line.

use crate::{
    arguments::Arguments,
    folders,
    legs::{self, Context, Leg, Plan, RunningLeg, plan},
    report::{Outcome, Tally, closing_line, json, table},
    results::Scenario,
    revision::Revision,
    scenarios,
    suite::{ListedScenario, Requirements, Suite},
};
use futures_util::future::join_all;
use std::process::ExitCode;
use xtask_install::{ProgramFeatures, build_programs, interrupted, is_strict, lock};

/// Runs the chosen legs.
pub(crate) async fn run(arguments: &Arguments) -> Result<ExitCode, String> {
    let _only_run = lock(&folders::home())?;
    tokio::select! {
        ended = async { if arguments.list { list().await } else { run_legs(arguments).await } } => ended,
        // Dropping the futures kills the programs that they started.
        () = interrupted() => Err("interrupted".to_owned()),
    }
}

async fn list() -> Result<ExitCode, String> {
    print!("{}", OfferedScenarios::by(&Suite::install().await?).await?.listed_here()?);
    Ok(ExitCode::SUCCESS)
}

async fn run_legs(arguments: &Arguments) -> Result<ExitCode, String> {
    let mut tally = Tally::default();
    let mut outcomes = Vec::new();
    match Suite::install().await {
        Ok(suite) => {
            let offered = OfferedScenarios::by(&suite).await?;
            let mut plans = Vec::new();
            for (leg, of_leg) in offered.plans(arguments)? {
                if leg == Leg::Replicas && arguments.features == ProgramFeatures::Default {
                    println!("left out: the leg {}, which needs the feature `postgres`", leg.as_str());
                    continue;
                }
                match RunningLeg::obstacle(leg).filter(|_| !is_strict()) {
                    Some(obstacle) => {
                        println!("skipped: the leg {}: {obstacle}", leg.as_str());
                        tally.skipped += 1;
                    }
                    None => plans.push((leg, of_leg)),
                }
            }
            build_programs(arguments.features).await?;
            if arguments.scenario.is_none() && scenarios::kept()? != offered.listed_here()? {
                println!("{}", scenarios::DIFFERS);
                tally.failed += 1;
            }
            // A leg mostly waits, and shares nothing with the others.
            let legs = plans.iter().map(async |(leg, plans)| {
                let mut outcomes = Vec::new();
                let ended = run_leg(&suite, *leg, plans, arguments, &mut outcomes).await;
                (leg, outcomes, ended)
            });
            for (leg, ran, ended) in join_all(legs).await {
                outcomes.extend(ran);
                if let Err(error) = ended {
                    println!("{}: {error}", leg.as_str());
                    tally.failed += 1;
                }
            }
        }
        Err(why) => {
            let why = format!("the conformance suite is not installed: {why}");
            if is_strict() {
                return Err(why);
            }
            println!("skipped: {why}");
            tally.skipped += 1;
        }
    }
    // A run of one scenario counts that scenario in any case.
    let counts = |scenario: &Scenario| scenario.counts() || arguments.scenario.is_some();
    for outcome in &outcomes {
        tally.add(outcome, counts);
    }
    if let Some(path) = &arguments.json {
        let text = format!("{:#}\n", json(&outcomes, tally));
        std::fs::write(path, text).map_err(|error| format!("failed to write {}: {error}", path.display()))?;
    }
    if arguments.keep {
        println!("kept in {}", folders::runs().display());
    } else {
        folders::remove_runs()?;
    }
    println!("{tally}");
    Ok(if tally.failed > 0 { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// The scenarios that the suite offers.
struct OfferedScenarios {
    listed: Vec<ListedScenario>,
    requirements: Vec<(Revision, Requirements)>,
}

impl OfferedScenarios {
    async fn by(suite: &Suite) -> Result<Self, String> {
        let mut requirements = Vec::new();
        for revision in Revision::ALL {
            requirements.push((revision, suite.requirements(revision).await?));
        }
        Ok(Self { listed: suite.list().await?, requirements })
    }

    /// Returns the list of scenarios that the repository must contain.
    fn listed_here(&self) -> Result<String, String> {
        scenarios::text(&self.listed, &self.requirements)
    }

    /// Returns the plans of each leg. A leg without the chosen scenario is left out.
    fn plans(&self, arguments: &Arguments) -> Result<Vec<(Leg, Vec<Plan>)>, String> {
        let asked =
            || self.requirements.iter().filter(|(revision, _)| arguments.revisions.contains(revision));
        let mut plans = Vec::new();
        for leg in &arguments.legs {
            let mut of_leg = Vec::new();
            for (revision, requirements) in asked() {
                let plan = plan(leg.side(), *revision, &self.listed, requirements)?;
                match &arguments.scenario {
                    Some(name) => of_leg.extend(plan.only(name)),
                    None => of_leg.push(plan),
                }
            }
            if !of_leg.is_empty() {
                plans.push((*leg, of_leg));
            }
        }
        match &arguments.scenario {
            Some(name) if plans.is_empty() => {
                Err(format!("none of these legs has a scenario named {name:?}"))
            }
            _ => Ok(plans),
        }
    }
}

async fn run_leg(
    suite: &Suite,
    leg: Leg,
    plans: &[Plan],
    arguments: &Arguments,
    outcomes: &mut Vec<Outcome>,
) -> Result<(), String> {
    let started = RunningLeg::start(leg).await?;
    let context = Context { suite, leg, subject: &started.subject };
    for plan in plans {
        let scenarios = legs::run(&context, plan).await?;
        let outcome = Outcome { leg, revision: plan.revision, scenarios };
        show(&outcome, arguments.scenario.is_some());
        outcomes.push(outcome);
    }
    Ok(())
}

fn show(outcome: &Outcome, with_details: bool) {
    let name = format!("{} {}", outcome.leg.as_str(), outcome.revision.as_str());
    println!("\n{name}");
    if outcome.scored().next().is_some() {
        print!("{}", table(outcome.scored(), with_details));
        println!("{}", closing_line(outcome));
    }
    if outcome.unscored().next().is_some() {
        println!("not scored at {}", outcome.revision.as_str());
        print!("{}", table(outcome.unscored(), with_details));
    }
}
