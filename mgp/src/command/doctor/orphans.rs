//! Processes of servers whose gateway has ended.

use super::{
    context::Context,
    finding::Finding,
};

/// Looks for processes of this account whose gateway has ended.
#[cfg(target_os = "linux")]
pub(super) fn check(_: &Context) -> Vec<Finding> {
    use super::{
        finding::{Kind, Remedy},
        fix::Fix,
    };
    use mgp_transport::child::Orphan;
    let Ok(orphans) = Orphan::all() else { return Vec::new() };
    if orphans.is_empty() {
        return Vec::new();
    }
    let ids: Vec<_> = orphans.iter().map(|orphan| orphan.id().to_string()).collect();
    let named: Vec<_> = orphans.iter().map(|orphan| format!("{} ({})", orphan.id(), orphan.name())).collect();
    let problem = format!("processes of servers run on after the end of their gateway: {}", named.join(", "));
    let remedy = Remedy::Command(format!("kill {}", ids.join(" ")));
    vec![Finding::new(Kind::GatewayOrphans, problem, remedy).with_fix(Fix::Orphans(orphans))]
}

/// Returns nothing: on this platform, the processes are not marked.
#[cfg(not(target_os = "linux"))]
pub(super) fn check(_: &Context) -> Vec<Finding> {
    Vec::new()
}
