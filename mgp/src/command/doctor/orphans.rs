//! Processes of servers whose gateway has ended.

use super::{context::Context, finding::Finding};

/// The most processes that are named.
#[cfg(target_os = "linux")]
const MAX_NAMED: usize = 8;

/// Looks for processes of this account whose gateway has ended.
#[cfg(target_os = "linux")]
pub(super) fn check(_: &Context) -> Vec<Finding> {
    use super::{
        context::with_words,
        finding::{Kind, Remedy},
        fix::Fix,
    };
    use mgp_transport::child::Orphan;
    let Ok(orphans) = Orphan::all() else { return Vec::new() };
    if orphans.is_empty() {
        return Vec::new();
    }
    let ids: Vec<_> = orphans.iter().map(|orphan| orphan.id().to_string()).collect();
    let named = orphans.iter().take(MAX_NAMED).map(|orphan| format!("{} ({})", orphan.id(), orphan.name()));
    let named = named.collect::<Vec<_>>().join(", ");
    let more = if orphans.len() > MAX_NAMED { ", ..." } else { "" };
    let count = orphans.len();
    let problem =
        format!("processes of servers run on after the end of their gateway ({count}): {named}{more}");
    let remedy = Remedy::Command(with_words("kill", &ids, "gateway"));
    vec![Finding::new(Kind::GatewayOrphans, problem, remedy).with_fix(Fix::Orphans(orphans))]
}

/// Returns nothing: on this platform, the processes are not marked.
#[cfg(not(target_os = "linux"))]
pub(super) fn check(_: &Context) -> Vec<Finding> {
    Vec::new()
}
