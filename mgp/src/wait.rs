//! Starts only the servers that a command needs, and reports progress.

use crate::output::note;
use futures_util::future::join_all;
use mgp_kernel::{Kernel, Server};
use mgp_types::{context::Principal, lifecycle::ServerState};
use std::{sync::Arc, time::Duration};
use tokio::{pin, time::Instant};

/// The time after which a command that has something to answer waits no longer for servers that are starting.
pub(crate) const SOON: Duration = Duration::from_secs(5);
/// The time after which the servers that a command waits for are reported.
const PATIENCE: Duration = Duration::from_secs(2);
/// The time after which they are reported again.
const AGAIN: Duration = Duration::from_secs(15);
/// The interval between two checks of a wait.
const LOOK: Duration = Duration::from_millis(500);

/// Starts the server of a tool, and waits until it is up or has failed, so that the tool is up to date. If no server is known to have the
/// tool, all are started until one has it. The first server with the name keeps it. After [`SOON`], a server that has the tool is enough, and so
/// is a tool with a name close to it, which `agent` probably meant.
pub(crate) async fn for_tool(kernel: &Kernel, name: &str, agent: &Principal) {
    let servers = kernel.servers();
    let by_prefix = || name.split_once("__").map(|(id, _)| id.to_owned());
    let known = kernel.operator().judged_tool(name).map(|tool| tool.named.tool.id().server_id.to_string());
    // Server ids never contain two underscores.
    if let Some(id) = known.or_else(by_prefix)
        && let Some(server) = servers.iter().find(|server| server.id() == id)
    {
        for_servers(std::slice::from_ref(server)).await;
        if kernel.operator().judged_tool(name).is_some() || name.starts_with(&format!("{id}__")) {
            return;
        }
    }
    let starting: Vec<_> = servers.iter().cloned().map(|server| tokio::spawn(wake(server))).collect();
    let known = async {
        for (server, starts) in servers.iter().zip(starting) {
            // A task that panicked has started nothing.
            let _ = starts.await;
            if has_tool(kernel, server, name) {
                return;
            }
        }
    };
    let is_enough = || {
        let operator = kernel.operator();
        operator.judged_tool(name).is_some() || !operator.meant(agent, name).is_empty()
    };
    while_needed(known, || left(&servers), is_enough).await;
}

/// Starts servers, and waits until each is up or has failed.
pub(crate) async fn for_servers(servers: &[Arc<Server>]) {
    for_servers_until(servers, || false).await;
}

/// Starts servers, and waits until each is up or has failed. After [`SOON`], one that is up is enough.
pub(crate) async fn for_some(servers: &[Arc<Server>]) {
    let is_up = |server: &Arc<Server>| server.status().state == ServerState::Connected;
    for_servers_until(servers, || servers.iter().any(is_up)).await;
}

async fn for_servers_until(servers: &[Arc<Server>], is_enough: impl Fn() -> bool) {
    let starting = join_all(servers.iter().map(|server| server.wake()));
    while_needed(starting, || left(servers), is_enough).await;
}

async fn wake(server: Arc<Server>) {
    server.wake().await;
}

/// Returns whether a server has a tool with this name.
fn has_tool(kernel: &Kernel, server: &Server, name: &str) -> bool {
    let known = kernel.registry();
    let known = known.iter().find(|known| *known.id == *server.id());
    known.is_some_and(|known| known.tools.iter().any(|tool| **tool == *name))
}

/// Returns the servers that are starting.
pub(crate) fn left(servers: &[Arc<Server>]) -> Vec<String> {
    servers.iter().filter(|server| server.is_coming_up()).map(|server| server.id().to_owned()).collect()
}

/// Waits for a future, and reports what is `left` to wait for if that takes long.
pub(crate) async fn with_progress<T>(wait: impl Future<Output = T>, left: impl Fn() -> Vec<String>) -> T {
    pin!(wait);
    let mut progress = Progress::default();
    loop {
        tokio::select! {
            done = &mut wait => return done,
            () = tokio::time::sleep(LOOK) => progress.tell(&left()),
        }
    }
}

/// Waits for a future like [`with_progress`]. After [`SOON`], it stops as soon as what there is, is enough.
async fn while_needed<T>(
    wait: impl Future<Output = T>,
    left: impl Fn() -> Vec<String>,
    is_enough: impl Fn() -> bool,
) {
    let enough = async {
        tokio::time::sleep(SOON).await;
        while !is_enough() {
            tokio::time::sleep(LOOK).await;
        }
    };
    tokio::select! {
        _ = with_progress(wait, left) => {}
        () = enough => {}
    }
}

/// The progress of a wait that was reported to the user.
#[derive(Debug)]
pub(crate) struct Progress {
    since: Instant,
    /// The servers that were reported last, and the time.
    told: Option<(Vec<String>, Instant)>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { since: Instant::now(), told: None }
    }
}

impl Progress {
    /// Reports the servers that a command waits for, if a report is due.
    pub(crate) fn tell(&mut self, left: &[String]) {
        if let Some(line) = self.line(Instant::now(), left) {
            note(&line);
        }
    }

    /// Returns the report that is due: the first after [`PATIENCE`], and further ones when fewer servers are left or [`AGAIN`] has
    /// passed.
    fn line(&mut self, now: Instant, left: &[String]) -> Option<String> {
        let is_due = match &self.told {
            None => now >= self.since + PATIENCE,
            Some((told, at)) if told == left => now >= *at + AGAIN,
            Some((_, at)) => now >= *at + PATIENCE,
        };
        if left.is_empty() || !is_due {
            return None;
        }
        self.told = Some((left.to_owned(), now));
        let so_far = (now - self.since).as_secs();
        Some(format!(
            "waiting for servers that are starting, {so_far} s so far: {}; Ctrl-C ends the wait",
            left.join(", ")
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_hanging_server_is_not_waited_for_once_there_is_an_answer() {
        let waited = async |is_enough: fn() -> bool, start: Duration| {
            let since = Instant::now();
            while_needed(tokio::time::sleep(start), Vec::new, is_enough).await;
            since.elapsed()
        };
        let slow = Duration::from_secs(60);
        assert_eq!(waited(|| true, slow).await, SOON);
        assert_eq!(waited(|| true, Duration::from_secs(1)).await, Duration::from_secs(1));
        assert_eq!(waited(|| false, slow).await, slow, "nothing can be answered yet");
    }

    #[test]
    fn a_long_wait_is_reported_and_again_when_it_changes_or_lasts() {
        let since = Instant::now();
        let mut progress = Progress { since, told: None };
        let mut told = |seconds: u64, left: &[&str]| {
            let left: Vec<_> = left.iter().map(ToString::to_string).collect();
            progress.line(since + Duration::from_secs(seconds), &left)
        };
        assert_eq!(told(1, &["a", "b"]), None);
        let first = "waiting for servers that are starting, 2 s so far: a, b; Ctrl-C ends the wait";
        assert_eq!(told(2, &["a", "b"]).as_deref(), Some(first));
        assert_eq!(told(3, &["b"]), None, "too soon");
        assert!(told(5, &["b"]).is_some_and(|line| line.contains(": b;")));
        assert_eq!(told(15, &["b"]), None);
        assert!(told(20, &["b"]).is_some_and(|line| line.contains("20 s so far")));
        assert_eq!(told(60, &[]), None, "nothing is left");
    }
}
