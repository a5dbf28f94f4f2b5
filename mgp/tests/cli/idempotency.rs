//! Calls with an idempotency key, while the gateway is killed at random moments.

use crate::support::User;
use serde_json::json;
use std::{collections::BTreeMap, fs, thread, time::Duration};

/// The number of gateways that are killed. `MGP_KILLS` sets another one.
const KILLS: u64 = 12;

/// A server whose tool writes down each of its calls before it answers.
const SCRIPT: &str = r#"
while IFS= read -r line; do
  id=${line#*\"id\":}; id=${id%%[,\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-06-18","capabilities":{"tools":{}},"serverInfo":{"name":"s","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[{"name":"deliver","description":"Delivers","inputSchema":{"type":"object"}}]}' ;;
    *'"method":"tools/call"'*)
      parcel=${line#*\"parcel\":\"}; parcel=${parcel%%\"*}
      echo "$parcel" >> "$1"
      sleep 0.01
      result='{"content":[{"type":"text","text":"delivered '$parcel'"}]}' ;;
    *'"id":'*) result='{}' ;;
    *) continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\n' "$id" "$result"
done
"#;

/// Random numbers that a seed gives again (xorshift64*).
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) % bound
    }
}

#[cfg(unix)]
#[test]
fn a_call_with_a_key_runs_at_most_once_while_its_gateway_is_killed_at_random_moments() {
    let kills = std::env::var("MGP_KILLS").ok().map_or(KILLS, |kills| kills.parse().unwrap());
    let seed = std::env::var("MGP_SEED").map_or(20_260_315, |seed| seed.parse().unwrap());
    let (user, mut random) = (User::new(), Random(seed));
    user.write("server.sh", SCRIPT);
    let (script, calls) = (user.path("server.sh"), user.path("calls"));
    let path = user.own_configuration();
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let server = format!(
        "[kernel]\ndefault_policy = \"opt-out\"\n[[servers]]\nid = \"post\"\ncommand = \"sh\"\nargs = [{:?}, {:?}]\n\
         [servers.mgp]\nera = \"initialize\"\nconfirmation = \"never\"\n",
        script.to_str().unwrap(),
        calls.to_str().unwrap()
    );
    fs::write(path, server).unwrap();
    let deliver = |parcel: &str| json!({"name": "deliver", "arguments": {"parcel": parcel}, "_meta": {"idempotency_key": format!("op-{parcel}")}});
    let (mut answered, mut unknown) = (BTreeMap::new(), 0);
    for kill in 0..kills {
        let mut host = user.serve(&[]);
        let parcel = format!("p{kill}");
        host.send(2, "tools/call", &deliver(&parcel));
        thread::sleep(Duration::from_micros(random.below(60_000)));
        host.signal("-KILL");
        host.end();
        // The next gateway knows whether the call may be made.
        let mut host = user.serve(&[]);
        host.send(2, "tools/call", &deliver(&parcel));
        let answer = host.reply(2);
        let message = answer["error"]["message"].as_str().unwrap_or_default();
        if message.contains("is unknown") {
            unknown += 1;
        } else {
            let text = answer["result"]["content"][0]["text"].as_str().unwrap_or_default();
            assert_eq!(text, format!("delivered {parcel}"), "kill {kill}, seed {seed}: {answer}");
            answered.insert(parcel, answer["result"]["_meta"]["was_replay"] == true);
        }
        host.close();
        assert_eq!(host.end(), 0);
    }
    let written = fs::read_to_string(&calls).unwrap_or_default();
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for parcel in written.lines() {
        *counts.entry(parcel).or_default() += 1;
    }
    let twice: Vec<_> = counts.iter().filter(|(_, count)| **count > 1).collect();
    assert!(twice.is_empty(), "seed {seed}: {twice:?}");
    for parcel in answered.keys() {
        assert_eq!(counts.get(&**parcel), Some(&1), "{parcel} was answered and never made, seed {seed}");
    }
    let replayed = answered.values().filter(|replay| **replay).count();
    println!(
        "{kills} gateways killed: {unknown} outcomes unknown, {replayed} answers replayed, {} calls made by the next gateway, none twice",
        answered.len() - replayed
    );
}
