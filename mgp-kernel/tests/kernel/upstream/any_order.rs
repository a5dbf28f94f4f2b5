//! §11.2 Operators, hosts, reloads and crashes in any order: no server takes a step that its state does not allow, no call is left without an
//! answer, and no process is left behind.

use crate::support::{json, start, until, within};
use mgp_client_sdk::client::Client;
use mgp_discovery::config::Config;
use mgp_kernel::{ChildCommand, Endpoint, Kernel, ReloadError, ServerSpec};
use mgp_types::{
    access::DefaultPolicy,
    context::Principal,
    lifecycle::{
        ControlServer, ControlServerParams, RestartConfig, RestartPolicy, ServerAction, ServerState,
    },
    negotiation::ExtensionSet,
};
use parking_lot::Mutex;
use proptest::{
    collection::vec,
    prelude::*,
    test_runner::{TestRng, TestRunner},
};
use std::{
    fmt::{self, Write as _},
    fs, io,
    sync::Arc,
    time::Duration,
};
use tokio::task::JoinSet;
use tracing::{
    Event, Subscriber,
    field::{Field, Visit},
};
use tracing_subscriber::{
    Layer,
    layer::{Context, SubscriberExt},
};
use uuid::Uuid;

/// A server of a few lines: `work` answers, `die` ends the process in the middle of the call, and `hang` ends the connection but not the process.
const SERVER: &str = r#"
while read -r line; do
  id=${line#*\"id\":}; id=${id%%,*}
  case $line in
    *'"method":"initialize"'*)
      result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}';;
    *'"method":"tools/list"'*)
      result='{"tools":[{"name":"work","inputSchema":{"type":"object"}},{"name":"die","inputSchema":{"type":"object"}},{"name":"hang","inputSchema":{"type":"object"}}]}';;
    *'"name":"die"'*) kill -9 $$;;
    *'"name":"hang"'*) exec >&-; trap '' TERM; while :; do sleep 1; done;;
    *'"method":"tools/call"'*) result='{"content":[{"type":"text","text":"done"}]}';;
    *'"method":"ping"'*) result='{}';;
    *'"id":'*) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"unknown method"}}\n' "$id"; continue;;
    *) continue;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// The servers of a kernel: one of the program, and one of the configuration.
const SERVERS: [&str; 2] = ["a", "b"];
/// A server of the configuration that comes and goes.
const GUEST: &str = "c";

/// One thing that happens to a server.
#[derive(Debug, Clone)]
enum Step {
    /// An operator's command.
    Control(&'static str, ServerAction),
    /// A call of a tool.
    Call(&'static str, &'static str),
    /// The death of the server's process.
    Kill(&'static str),
    /// A configuration, in which the server of the configuration has one time limit or another, and the guest is there or not.
    Reload(bool, bool),
    /// The end of all that happens at once.
    Settle,
    /// A moment in which what happens gets under way.
    Pause(u8),
}

fn step() -> impl Strategy<Value = Step> {
    let server = || prop::sample::select(&SERVERS);
    let called = || prop::sample::select(&["a", "b", GUEST]);
    prop_oneof![
        6 => (server(), prop::sample::select(ServerAction::ALL)).prop_map(|(s, action)| Step::Control(s, action)),
        4 => (called(), prop::sample::select(&["work", "die"])).prop_map(|(s, tool)| Step::Call(s, tool)),
        2 => called().prop_map(Step::Kill),
        2 => (any::<bool>(), any::<bool>()).prop_map(|(limit, guest)| Step::Reload(limit, guest)),
        1 => Just(Step::Settle),
        3 => (0..30_u8).prop_map(Step::Pause),
    ]
}

/// The transitions that a state machine refused, as it logs them.
#[derive(Clone, Default)]
struct Refusals(Arc<Mutex<Vec<String>>>);

/// The fields of an event as one text.
#[derive(Default)]
struct Text(String);

impl Visit for Text {
    fn record_debug(&mut self, field: &Field, value: &dyn fmt::Debug) {
        let _ = write!(self.0, "{field}: {value:?} ");
    }
}

impl<S: Subscriber> Layer<S> for Refusals {
    fn on_event(&self, event: &Event<'_>, _: Context<'_, S>) {
        let mut text = Text::default();
        event.record(&mut text);
        if text.0.contains("illegal state transition") {
            self.0.lock().push(text.0);
        }
    }
}

/// Returns the ids of the living processes whose command line has a mark.
fn processes(mark: &str) -> Vec<u32> {
    let of_mark = |entry: io::Result<fs::DirEntry>| {
        let entry = entry.ok()?;
        let id = entry.file_name().to_str()?.parse().ok()?;
        let line = fs::read(entry.path().join("cmdline")).ok()?;
        String::from_utf8_lossy(&line).contains(mark).then_some(id)
    };
    fs::read_dir("/proc").unwrap().filter_map(of_mark).collect()
}

/// Sends a signal to the processes whose command line has a mark.
pub(crate) fn signal(mark: &str, signal: &str) {
    for id in processes(mark) {
        let _ = std::process::Command::new("kill").args([signal, &id.to_string()]).status();
    }
}

/// Kills the processes whose command line has a mark.
pub(crate) fn kill(mark: &str) {
    signal(mark, "-KILL");
}

/// Returns a server that is started again whenever it ends.
pub(crate) fn spec(id: &str, mark: &str) -> ServerSpec {
    let command = ChildCommand::new(id, "sh").args(["-c", SERVER, &format!("{mark}-{id}")]);
    let mut spec = ServerSpec::new(id, Endpoint::Child(command));
    spec.default_policy = DefaultPolicy::OptOut;
    spec.shutdown_timeout = Duration::from_secs(2);
    // A call waits as long for a server that may come back.
    spec.call_timeout = Duration::from_secs(2);
    spec.restart = RestartConfig {
        restart_policy: RestartPolicy::Always,
        max_restarts: 3,
        restart_window_secs: 300,
        backoff_base_ms: 1,
        backoff_max_ms: 4,
    };
    spec
}

/// Returns a configuration whose servers are as [`spec`] makes them.
fn configuration(mark: &str, other_limit: bool, guest: bool) -> Config {
    let limit = if other_limit { 1900 } else { 2000 };
    let script = SERVER.replace("${", "$${");
    let ids = ["b"].into_iter().chain(guest.then_some(GUEST));
    let servers = ids.map(|id| {
        format!(
            "[[servers]]\nid = {id:?}\ncommand = \"sh\"\nargs = {:?}\ndefault_policy = \"opt-out\"\n[servers.mgp]\n\
             shutdown_timeout_ms = 2000\ncall_timeout_ms = {limit}\nrestart_policy = \"always\"\nmax_restarts = 3\n\
             restart_window_secs = 300\nbackoff_base_ms = 1\nbackoff_max_ms = 4\n",
            ["-c", &script, &format!("{mark}-{id}")]
        )
    });
    Config::parse("mgp.toml".as_ref(), servers.collect::<String>().as_bytes(), &|_| None).unwrap()
}

/// Has the kernel take over a configuration. Only a guest that still leaves may keep it from doing so.
async fn reload(kernel: &Kernel, config: &Config) {
    match within(kernel.reconfigure(config, &Principal::operator("ann"))).await {
        Ok(_) => {}
        Err(ReloadError::Leaving(id)) => assert_eq!(id, GUEST),
        Err(error) => panic!("reload: {error}"),
    }
}

/// Gives an operator's command, and returns the state after it; `None` if it is refused, as one is that
/// the state before does not allow.
async fn control(operator: &Client, server: &str, action: ServerAction) -> Option<ServerState> {
    let params = ControlServerParams { server_id: server.to_owned(), action, timeout_ms: None, reason: None };
    match within(operator.request::<ControlServer>(&params)).await {
        Ok(result) => Some(result.state),
        Err(error) => {
            let told = error.to_string();
            let is_refusal =
                ["which allows", "too many commands"].iter().any(|refusal| told.contains(refusal));
            assert!(is_refusal, "{action:?} {server}: {told}");
            None
        }
    }
}

/// Plays the steps, most of them at the same time, and checks what holds after any of them.
async fn play(steps: &[Step], mark: &str) {
    let before = configuration(mark, false, false);
    let setup = start(|kernel, _| kernel.configure(&before).unwrap().server(spec("a", mark))).await;
    let operator = Arc::new(setup.host_that(ExtensionSet::ALL, Principal::operator("ann")).await);
    let host = Arc::new(setup.host().await);
    let mut under_way = JoinSet::new();
    for step in steps.iter().cloned() {
        let (operator, host) = (operator.clone(), host.clone());
        match step {
            Step::Control(server, action) => {
                under_way.spawn(async move {
                    control(&operator, server, action).await;
                });
            }
            Step::Call(server, tool) => {
                under_way.spawn(async move {
                    // Whatever became of the server, the call has an answer.
                    let _ = within(host.call_tool(&format!("{server}__{tool}"), json("{}"))).await;
                });
            }
            Step::Reload(other_limit, guest) => {
                let (kernel, config) = (setup.kernel.clone(), configuration(mark, other_limit, guest));
                under_way.spawn(async move { reload(&kernel, &config).await });
            }
            Step::Kill(server) => kill(&format!("{mark}-{server}")),
            Step::Settle => {
                while let Some(ended) = under_way.join_next().await {
                    ended.unwrap();
                }
            }
            Step::Pause(time) => tokio::time::sleep(Duration::from_millis(time.into())).await,
        }
    }
    while let Some(ended) = under_way.join_next().await {
        ended.unwrap();
    }
    reload(&setup.kernel, &before).await;
    for server in SERVERS {
        comes_back(&operator, &host, server).await;
        let mark = format!("{mark}-{server}");
        until(|| processes(&mark).len() == 1).await;
    }
    none_left(&format!("{mark}-{GUEST}")).await;
    within(setup.kernel.shutdown()).await;
    for server in setup.kernel.servers().iter() {
        assert_eq!(server.status().state, ServerState::Disconnected, "{}", server.id());
    }
    none_left(mark).await;
}

/// Waits until no process has a mark.
async fn none_left(mark: &str) {
    until(|| processes(mark).is_empty()).await;
}

/// Waits until a server answers calls. An operator starts it where it does not come back by itself.
async fn comes_back(operator: &Client, host: &Client, server: &str) {
    let done = async {
        loop {
            control(operator, server, ServerAction::Start).await;
            if let Ok(done) = host.call_tool(&format!("{server}__work"), json("{}")).await {
                return done;
            }
        }
    };
    assert_eq!(within(done).await.content[0].as_text(), Some("done"));
}

#[test]
fn no_order_of_steps_leads_to_an_illegal_one_or_leaves_a_rest() {
    // The same histories each time; others, and more of them, on demand: PROPTEST_CASES=1000.
    let on_demand = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse::<u32>().ok());
    let (cases, max_shrink_iters) = on_demand.map_or((16, 8), |cases| (cases, 64));
    let config = ProptestConfig { cases, failure_persistence: None, max_shrink_iters, ..Default::default() };
    let rng = TestRng::deterministic_rng(config.rng_algorithm);
    let mut runner = match on_demand {
        Some(_) => TestRunner::new(config),
        None => TestRunner::new_with_rng(config, rng),
    };
    let refused = Refusals::default();
    let _guard = tracing::subscriber::set_default(tracing_subscriber::registry().with(refused.clone()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let outcome = runner.run(&vec(step(), 1..30), |steps| {
        let mark = format!("mgp-any-order-{}", Uuid::new_v4());
        runtime.block_on(play(&steps, &mark));
        let refused = std::mem::take(&mut *refused.0.lock());
        prop_assert!(refused.is_empty(), "{:?}", refused);
        Ok(())
    });
    outcome.unwrap();
}
