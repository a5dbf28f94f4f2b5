//! Calls with an idempotency key, while the gateway is killed at random moments.

use crate::support::{Host, User};
use rusqlite::Connection;
use serde_json::{Value, json};
use std::{
    collections::BTreeMap,
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};
use xtask_testing::block_until_some;

/// The number of gateways that are killed: two for each moment. `MGP_KILLS` sets another one.
const KILLS: u64 = 16;

/// The limit of a wait for a call, which only ends a test that would hang.
const LIMIT: Duration = Duration::from_secs(120);

/// The file that keeps the server from beginning a call while it exists.
const HELD_BACK: &str = "held-back";

/// The file that keeps the server from answering a call while it exists.
const UNANSWERED: &str = "unanswered";

/// A server whose tool writes down each of its calls before it works on it, before it answers and after that. A file holds it up before it
/// begins or before it answers, and without its gateway it does not go on from there.
const SCRIPT: &str = r#"
while_there_is() {
  test -e "$1" || return
  while [ -e "$1" ] && kill -0 $PPID; do sleep 0.01; done
  kill -0 $PPID || exit
}
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  parcel=
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"deliver","description":"Delivers","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      parcel=${line#*\"parcel\":\"}; parcel=${parcel%%\"*}
      while_there_is "$1/held-back"
      echo "$parcel" >> "$1/begun"
      while_there_is "$1/unanswered"
      sleep 0.01
      result='{"content":[{"type":"text","text":"delivered '$parcel'"}]}'
      echo "$parcel" >> "$1/ended" ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
  test -z "$parcel" || echo "$parcel" >> "$1/answered"
done
"#;

/// Random numbers that a seed gives again (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % bound.max(1)
    }

    fn up_to(&mut self, time: Duration) -> Duration {
        Duration::from_micros(self.below(u64::try_from(time.as_micros()).unwrap()))
    }
}

/// The time from which on a gateway is killed.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Moment {
    /// The gateway has just started, and its server starts: up to the length of such a call, most often early in it.
    Sent,
    /// The server works on the call.
    Begun,
    /// The server answers.
    Ended,
    /// The host has read the answer.
    Replied,
    /// The gateway waits for the store of keys, which another process holds.
    StoreHeld,
    /// The key is stored, and the server does not begin.
    ServerHeld,
    /// The server has begun, and does not answer.
    AnswerHeld,
    /// The server has answered, and another process holds the store.
    EndHeld,
}

impl Moment {
    const ALL: [Self; 8] = [
        Self::Sent,
        Self::Begun,
        Self::Ended,
        Self::Replied,
        Self::StoreHeld,
        Self::ServerHeld,
        Self::AnswerHeld,
        Self::EndHeld,
    ];

    /// Returns a time that a gateway still lives from this moment on. `first_call` is the length of a call to one that has just started.
    fn random_pause(self, random: &mut Random, first_call: Duration) -> Duration {
        match self {
            Self::Sent => {
                let share = random.up_to(Duration::from_secs(1)).as_secs_f64();
                first_call.mul_f64(1.2 * share * share * share)
            }
            Self::StoreHeld => random.up_to(first_call),
            Self::Begun => random.up_to(Duration::from_millis(12)),
            Self::Replied => Duration::ZERO,
            _ => random.up_to(Duration::from_millis(2)),
        }
    }

    /// Returns the window that is always met at this moment.
    fn window(self) -> Option<Window> {
        match self {
            Self::Sent | Self::Begun | Self::Ended => None,
            Self::Replied => Some(Window::Stored),
            Self::StoreHeld => Some(Window::Unstored),
            Self::ServerHeld => Some(Window::Unsent),
            Self::AnswerHeld => Some(Window::Running),
            Self::EndHeld => Some(Window::Answered),
        }
    }
}

/// A part of a call's life in which its gateway was killed, by what is found afterwards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Window {
    /// Its key was not stored: the next gateway made the call.
    Unstored,
    /// Its key was stored, and the server did not begin it.
    Unsent,
    /// The server worked on it.
    Running,
    /// The server had answered, and the answer was not stored.
    Answered,
    /// The answer was stored.
    Stored,
}

/// The calls, as the server wrote them down.
struct Log(PathBuf);

impl Log {
    fn parcels(&self, file: &str) -> Vec<String> {
        let text = fs::read_to_string(self.0.join(file)).unwrap_or_default();
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until a call is in a file, without a pause between two looks.
    fn wait(&self, file: &str, parcel: &str) {
        let start = Instant::now();
        while !self.parcels(file).iter().any(|there| there == parcel) {
            assert!(start.elapsed() < LIMIT, "{parcel} is not in {file}");
        }
    }
}

fn deliver(parcel: &str) -> Value {
    json!({"name": "deliver", "arguments": {"parcel": parcel}, "_meta": {"idempotency_key": format!("op-{parcel}")}})
}

fn delivered(answer: &Value) -> Option<String> {
    let text = answer["result"]["content"][0]["text"].as_str()?;
    text.strip_prefix("delivered ").map(str::to_owned)
}

/// Asks again for the calls of killed gateways, and counts what is found.
fn ask_again(
    host: &mut Host,
    (log, windows): (&Log, &mut BTreeMap<Window, u64>),
    parcels: &mut Vec<(String, Moment)>,
) {
    for (id, (parcel, moment)) in (100..).zip(parcels.drain(..)) {
        host.send(id, "tools/call", &deliver(&parcel));
        let answer = host.reply(id);
        let has = |file: &str| log.parcels(file).contains(&parcel);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        let window = if message.contains("is unknown") {
            match (has("begun"), has("answered")) {
                (false, _) => Window::Unsent,
                (true, false) => Window::Running,
                (true, true) => Window::Answered,
            }
        } else {
            assert_eq!(delivered(&answer).as_ref(), Some(&parcel), "{moment:?}: {answer}");
            match answer["result"]["_meta"]["was_replay"] == true {
                true => Window::Stored,
                false => Window::Unstored,
            }
        };
        assert_eq!(window, moment.window().unwrap_or(window), "{parcel}, {moment:?}: {answer}");
        *windows.entry(window).or_default() += 1;
    }
}

/// Opens the store of keys.
fn store(user: &User) -> Connection {
    let store = Connection::open(user.path("../state/idempotency.sqlite3")).unwrap();
    store.busy_timeout(LIMIT).unwrap();
    store
}

/// Keeps everyone else from writing into the store, until the connection is dropped.
fn hold_store(user: &User) -> Connection {
    let store = store(user);
    store.execute_batch("BEGIN IMMEDIATE").unwrap();
    store
}

/// Waits until the key of a call is stored.
fn wait_for_key(user: &User, parcel: &str) {
    let store = store(user);
    let has = || {
        let mut entries = store.prepare_cached("SELECT 1 FROM entries WHERE key = ?").unwrap();
        entries.exists([format!("op-{parcel}")]).unwrap().then_some(())
    };
    block_until_some(has);
}

/// Returns a user of a gateway with the server, which writes into the folder of the log.
fn user() -> (User, Log) {
    let user = User::new();
    user.write("server.sh", SCRIPT);
    let log = Log(user.path("log"));
    fs::create_dir(&log.0).unwrap();
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let text = |path: &Path| path.to_str().unwrap().to_owned();
    let server = format!(
        "[kernel]\ndefault_policy = \"opt-out\"\n[[servers]]\nid = \"post\"\ncommand = \"sh\"\nargs = [{:?}, {:?}]\n\
         [servers.mgp]\nera = \"initialize\"\nconfirmation = \"never\"\n",
        text(&user.path("server.sh")),
        text(&log.0)
    );
    fs::write(path, server).unwrap();
    (user, log)
}

/// Returns the length of a call that is sent to a gateway as it starts.
fn first_call(user: &User) -> Duration {
    let mut host = user.serve(&[]);
    let since = Instant::now();
    host.send(2, "tools/call", &deliver("first"));
    assert_eq!(delivered(&host.reply(2)).as_deref(), Some("first"));
    let length = since.elapsed();
    host.close();
    assert_eq!(host.end(), 0);
    length
}

/// Sends a call to a gateway, and kills it a time after a moment.
fn call_and_kill(
    mut host: Host,
    (user, log): (&User, &Log),
    (parcel, moment): (&str, Moment),
    after: Duration,
) {
    let hold = |file: &str| fs::write(log.0.join(file), "").unwrap();
    let let_go = |file: &str| fs::remove_file(log.0.join(file)).unwrap();
    match moment {
        Moment::ServerHeld => hold(HELD_BACK),
        Moment::AnswerHeld | Moment::EndHeld => hold(UNANSWERED),
        _ => {}
    }
    let mut store = (moment == Moment::StoreHeld).then(|| hold_store(user));
    host.send(2, "tools/call", &deliver(parcel));
    match moment {
        Moment::Sent | Moment::StoreHeld => {}
        Moment::Begun | Moment::AnswerHeld => log.wait("begun", parcel),
        Moment::Ended => log.wait("ended", parcel),
        Moment::Replied => assert_eq!(delivered(&host.reply(2)).as_deref(), Some(parcel)),
        Moment::ServerHeld => wait_for_key(user, parcel),
        Moment::EndHeld => {
            log.wait("begun", parcel);
            store = Some(hold_store(user));
            let_go(UNANSWERED);
            log.wait("answered", parcel);
        }
    }
    thread::sleep(after);
    host.kill();
    drop(store);
    match moment {
        Moment::ServerHeld => let_go(HELD_BACK),
        Moment::AnswerHeld => let_go(UNANSWERED),
        _ => {}
    }
}

#[test]
fn a_call_with_a_key_runs_at_most_once_despite_kills() {
    let kills = std::env::var("MGP_KILLS").ok().map_or(KILLS, |kills| kills.parse().unwrap());
    let seed = std::env::var("MGP_SEED").map_or(20_260_315, |seed| seed.parse().unwrap());
    let (user, log) = user();
    let (mut random, length) = (Random(seed), first_call(&user));
    let (mut windows, mut killed) = (BTreeMap::new(), Vec::new());
    for (kill, moment) in (0..kills).zip(Moment::ALL.into_iter().cycle()) {
        println!("kill {kill} of seed {seed}: {moment:?}");
        let mut host = user.serve(&[]);
        // The next gateway knows whether the calls of those before it may be made.
        if moment != Moment::Sent {
            ask_again(&mut host, (&log, &mut windows), &mut killed);
        }
        let parcel = format!("p{kill}");
        let after = moment.random_pause(&mut random, length);
        call_and_kill(host, (&user, &log), (&parcel, moment), after);
        killed.push((parcel, moment));
    }
    let mut host = user.serve(&[]);
    ask_again(&mut host, (&log, &mut windows), &mut killed);
    host.close();
    assert_eq!(host.end(), 0);
    let mut counts: BTreeMap<String, u64> = BTreeMap::new();
    for parcel in log.parcels("begun") {
        *counts.entry(parcel).or_default() += 1;
    }
    println!("{kills} gateways killed, seed {seed}, a first call takes {length:?}: {windows:?}");
    let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "seed {seed}: {twice:?}");
    assert_eq!(windows.values().sum::<u64>(), kills, "seed {seed}");
    assert!(windows.len() == 5 || kills < 8, "seed {seed}: a window was not met: {windows:?}");
}
