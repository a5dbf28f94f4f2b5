//! Runs a leg's scenarios at one revision.

use super::{Leg, Plan};
use crate::{
    folders,
    results::{Kind, Scenario, collect, reason},
    suite::{Invocation, Subject, Suite, SuiteEnd},
};
use std::path::{Path, PathBuf};

/// The context of a leg's runs.
#[derive(Debug)]
pub(crate) struct Context<'a> {
    pub(crate) suite: &'a Suite,
    pub(crate) leg: Leg,
    pub(crate) subject: &'a Subject,
}

/// Runs the scenarios of a plan. The results are in the plan's order.
pub(crate) async fn run(context: &Context<'_>, plan: &Plan) -> Result<Vec<Scenario>, String> {
    let folder = folders::of_run(&format!("{}-{}", context.leg.as_str(), plan.revision.as_str()))?;
    let mut results = Vec::new();
    // The suite writes its results to a folder, and its output goes to a file next to the folder.
    if !plan.set.is_empty() {
        let set = Invocation::Requirements(plan.revision);
        let ended = invoke(context, &set, plan.set.len(), &folder, "set").await?;
        for (name, kind) in &plan.set {
            results.push(result(context, &folder, "set", name, *kind, &ended));
        }
    }
    for extra in &plan.rest {
        let one = Invocation::Scenario { name: extra.name.clone(), revision: extra.revision };
        let place = extra.name.replace('/', "-");
        let ended = invoke(context, &one, 1, &folder, &place).await?;
        results.push(result(context, &folder, &place, &extra.name, extra.kind, &ended));
    }
    Ok(results)
}

async fn invoke(
    context: &Context<'_>,
    invocation: &Invocation,
    scenarios: usize,
    folder: &Path,
    place: &str,
) -> Result<SuiteEnd, String> {
    let (output, log) = (folder.join(place), log(folder, place));
    invocation.run(context.suite, context.subject, scenarios, &output, &log).await
}

fn log(folder: &Path, place: &str) -> PathBuf {
    folder.join(format!("{place}.log"))
}

fn result(
    context: &Context<'_>,
    folder: &Path,
    place: &str,
    name: &str,
    kind: Kind,
    ended: &SuiteEnd,
) -> Scenario {
    let collected = collect(&folder.join(place), context.subject.side(), name);
    let lost = || match reason(&log(folder, place), name) {
        Some(reason) => format!("no result: {reason}"),
        None => format!("no result: {}", ended.how),
    };
    let written = collected.and_then(|written| written.ok_or_else(lost));
    Scenario { name: name.to_owned(), kind, written }
}
