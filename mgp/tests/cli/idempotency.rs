//! Calls with an idempotency key, while the gateway is killed at random moments.

use crate::support::{Host, User};
use serde_json::{Value, json};
use std::{
    collections::{BTreeMap, HashSet},
    fs,
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

/// The number of gateways that are killed. `MGP_KILLS` sets another one.
const KILLS: u64 = 12;

/// The number of gateways from which on each window has to be met.
const MANY: u64 = 200;

/// The limit of a wait for a call, which only ends a test that would hang.
const LIMIT: Duration = Duration::from_secs(120);

/// A server whose tool writes down each of its calls before it works on it, before it answers and after that.
const SCRIPT: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  parcel=
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"deliver","description":"Delivers","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      parcel=${line#*\"parcel\":\"}; parcel=${parcel%%\"*}
      echo "$parcel" >> "$1/begun"
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
}

impl Moment {
    const ALL: [Self; 4] = [Self::Sent, Self::Begun, Self::Ended, Self::Replied];
}

/// The parts of a call's life in which its gateway was killed, by what is found afterwards.
#[derive(Debug, Default)]
struct Windows {
    /// Its key was not stored: the next gateway made the call.
    unstored: u64,
    /// Its key was stored, and the server never got it.
    unsent: u64,
    /// The server worked on it.
    running: u64,
    /// The server had answered, and the answer was not stored.
    answered: u64,
    /// The answer was stored.
    stored: u64,
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
fn ask_again(host: &mut Host, (log, windows): (&Log, &mut Windows), parcels: &mut Vec<(String, Moment)>) {
    for (id, (parcel, moment)) in (100..).zip(parcels.drain(..)) {
        host.send(id, "tools/call", &deliver(&parcel));
        let answer = host.reply(id);
        let has = |file: &str| log.parcels(file).contains(&parcel);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        let window = if message.contains("is unknown") {
            assert_ne!(moment, Moment::Replied, "{parcel} was answered, and then its outcome was unknown");
            match (has("begun"), has("answered")) {
                (false, _) => &mut windows.unsent,
                (true, false) => &mut windows.running,
                (true, true) => &mut windows.answered,
            }
        } else {
            assert_eq!(delivered(&answer).as_ref(), Some(&parcel), "{moment:?}: {answer}");
            match answer["result"]["_meta"]["was_replay"] == true {
                true => &mut windows.stored,
                false => &mut windows.unstored,
            }
        };
        *window += 1;
    }
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

#[test]
fn a_call_with_a_key_runs_at_most_once_while_its_gateway_is_killed_at_random_moments() {
    let kills = std::env::var("MGP_KILLS").ok().map_or(KILLS, |kills| kills.parse().unwrap());
    let seed = std::env::var("MGP_SEED").map_or(20_260_315, |seed| seed.parse().unwrap());
    let ((user, log), mut random) = (user(), Random(seed));
    let length = first_call(&user);
    let (mut windows, mut killed) = (Windows::default(), Vec::new());
    let mut delivered_to_host = HashSet::new();
    for kill in 0..kills {
        let moment = Moment::ALL[usize::try_from(kill % 4).unwrap()];
        let mut host = user.serve(&[]);
        // The next gateway knows whether the calls of those before it may be made.
        if moment != Moment::Sent {
            ask_again(&mut host, (&log, &mut windows), &mut killed);
        }
        let parcel = format!("p{kill}");
        host.send(2, "tools/call", &deliver(&parcel));
        match moment {
            Moment::Sent => {
                let share = random.up_to(Duration::from_secs(1)).as_secs_f64();
                thread::sleep(length.mul_f64(1.2 * share * share * share));
            }
            Moment::Begun => {
                log.wait("begun", &parcel);
                thread::sleep(random.up_to(Duration::from_millis(12)));
            }
            Moment::Ended => {
                log.wait("ended", &parcel);
                thread::sleep(random.up_to(Duration::from_millis(2)));
            }
            Moment::Replied => {
                assert_eq!(delivered(&host.reply(2)).as_ref(), Some(&parcel), "kill {kill}, seed {seed}");
                delivered_to_host.insert(parcel.clone());
            }
        }
        host.kill();
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
    let Windows { unstored, unsent, running, answered, stored } = windows;
    assert_eq!(unstored + unsent + running + answered + stored, kills, "seed {seed}");
    assert!(stored >= u64::try_from(delivered_to_host.len()).unwrap(), "seed {seed}");
    if kills >= MANY {
        for (window, times) in [
            ("before its key was stored", unstored),
            ("before it was sent", unsent),
            ("while it ran", running),
            ("after its answer, before that was stored", answered),
            ("after its answer was stored", stored),
        ] {
            assert!(times > 0, "no gateway was killed {window}, seed {seed}");
        }
    }
}
