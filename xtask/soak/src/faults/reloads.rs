//! Changes of the configuration during calls, applied as `mgp reload` does.

use crate::{
    configuration::ConfigurationFile,
    ledger::Ledger,
    random::Random,
    servers::{self, Servers},
};
use mgp_kernel::{Kernel, Principal, ReloadError};
use mgp_types::lifecycle::ConfigurationChange;
use tokio::time::Instant;

/// The stream of random numbers.
const STREAM: u64 = u64::MAX;
/// The bounds of the pause before a reload, in milliseconds.
const PAUSE_MS: std::ops::Range<u64> = 300..900;

/// A change of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Change {
    /// A guest is added, or removed if it exists.
    Guest(usize),
    /// The time limit of a server changes.
    Limit(usize),
    /// The file ends in the middle.
    Broken,
    /// The file has more servers than the kernel accepts.
    Crowded,
}

/// The end of a broken file.
const BROKEN: &str = "[[servers]]\nid = \"soak";

impl Change {
    /// Returns the next change: each kind takes its turn.
    fn next(turn: usize, servers: Servers, random: &mut Random) -> Self {
        let guests = servers.guests();
        match turn % 8 {
            3 => Self::Broken,
            7 => Self::Crowded,
            1 | 5 => Self::Limit(random.below(servers.configured())),
            _ => Self::Guest(guests.start + random.below(guests.len())),
        }
    }

    /// Makes the change in the file, or reverts it.
    fn apply(self, file: &mut ConfigurationFile) {
        match self {
            Self::Guest(number) => {
                file.guests.entry(number).and_modify(|is_there| *is_there = !*is_there);
            }
            Self::Limit(number) => {
                let other = file.other_limit.entry(number).or_default();
                *other = !*other;
            }
            Self::Crowded => file.is_crowded = !file.is_crowded,
            Self::Broken => {}
        }
    }

    /// Returns the name of the fault, and the change that the kernel must report; `None` if it must refuse.
    fn expected(self, file: &ConfigurationFile) -> (&'static str, Option<ConfigurationChange>) {
        let ids = |number| vec![servers::id(number)];
        let none = ConfigurationChange::default();
        match self {
            Self::Guest(number) if file.guests.get(&number) == Some(&true) => {
                (ADDED, Some(ConfigurationChange { added: ids(number), ..none }))
            }
            Self::Guest(number) => (REMOVED, Some(ConfigurationChange { removed: ids(number), ..none })),
            Self::Limit(number) => (RESTARTED, Some(ConfigurationChange { restarted: ids(number), ..none })),
            Self::Broken | Self::Crowded => (REFUSED, None),
        }
    }
}

const ADDED: &str = "servers added by a reload";
const REMOVED: &str = "servers taken away by a reload";
const RESTARTED: &str = "servers restarted by a reload";
const REFUSED: &str = "reloads of a wrong file";
const LEAVING: &str = "reloads refused while a server leaves";

/// The faults that every run must have.
pub(super) const KINDS: [&str; 4] = [ADDED, REMOVED, RESTARTED, REFUSED];

/// Reloads the configuration repeatedly until the end, and then removes the guests. Returns the file.
pub(crate) async fn reload(
    mut file: ConfigurationFile,
    kernel: Kernel,
    servers: Servers,
    seed: u64,
    end: Instant,
    ledger: Ledger,
) -> ConfigurationFile {
    let mut random = Random::new(seed, STREAM);
    for turn in 0.. {
        tokio::time::sleep(random.millis(PAUSE_MS)).await;
        if Instant::now() >= end {
            break;
        }
        make(Change::next(turn, servers, &mut random), &mut file, &kernel, &ledger).await;
    }
    for number in servers.guests() {
        if file.guests.get(&number) == Some(&true) {
            make(Change::Guest(number), &mut file, &kernel, &ledger).await;
        }
    }
    file
}

async fn make(change: Change, file: &mut ConfigurationFile, kernel: &Kernel, ledger: &Ledger) {
    change.apply(file);
    let (name, expected) = change.expected(file);
    let before = ids(kernel);
    let read = file.write_and_read(if change == Change::Broken { BROKEN } else { "" });
    if let (Change::Broken, Err(_)) = (change, &read) {
        // The program changes nothing then.
        return ledger.fault(name);
    }
    let config = match read {
        Ok(config) => config,
        Err(error) => return ledger.wrong(format!("a valid configuration cannot be read: {error}")),
    };
    let told = kernel.reconfigure(&config, &Principal::operator("soak")).await;
    if change == Change::Crowded {
        change.apply(file);
    }
    match (told, expected) {
        (Ok(told), Some(expected)) if told == expected => ledger.fault(name),
        (Ok(told), expected) => ledger.wrong(format!("a reload reported {told:?}, expected {expected:?}")),
        (Err(ReloadError::Leaving(_)), Some(_)) => {
            change.apply(file);
            ledger.fault(LEAVING);
        }
        // A guest that was removed before may have disappeared meanwhile.
        (Err(_), None) if ids(kernel).iter().all(|id| before.contains(id)) => ledger.fault(name),
        (Err(error), _) => ledger.wrong(format!("a reload failed: {error}")),
    }
}

fn ids(kernel: &Kernel) -> Vec<String> {
    kernel.servers().iter().map(|server| server.id().to_owned()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_change_has_its_turn() {
        let (servers, mut random) = (Servers { steady: 2 }, Random::new(1, 1));
        let mut file = ConfigurationFile::new(servers, "soak-test").unwrap();
        let mut names: Vec<_> = (0..64)
            .map(|turn| {
                let change = Change::next(turn, servers, &mut random);
                change.apply(&mut file);
                change.expected(&file).0
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        let mut kinds = KINDS;
        kinds.sort_unstable();
        assert_eq!(names, kinds);
    }
}
