//! The servers of a kernel without a configuration: the demo's, or none.

use mgp_discovery::locate::{Environment, config_places};
use std::{
    io::{self, IsTerminal},
    path::Path,
};

/// The name of the folder of the demo's state, next to that of the user's own. An approval for one of the demo's servers never applies to a
/// server of the user.
pub(super) const DEMO_FOLDER: &str = "mgp-demo";

/// The state of a program that found no configuration, or does not use one.
#[derive(Debug, Default)]
pub(crate) struct UnconfiguredState {
    demo: Demo,
    /// The paths that were searched for a configuration, as text.
    looked_at: String,
}

/// The reason why the demo's servers are used, if they are.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Demo {
    /// The command line requests the demo's servers.
    Asked,
    /// Stdin is a terminal, and the user gets a note.
    Terminal,
    /// The demo's servers are not used: a host or a script would mistake them for its own.
    #[default]
    Off,
}

impl UnconfiguredState {
    /// Returns the state of a program with `--demo`.
    pub(super) fn demo() -> Self {
        Self { demo: Demo::Asked, looked_at: String::new() }
    }

    /// Returns the state of a program that looked for a configuration and found none.
    pub(super) fn of(environment: &Environment) -> Self {
        let demo = if io::stdin().is_terminal() { Demo::Terminal } else { Demo::Off };
        let places = config_places(environment).into_iter().map(|file| file.path.display().to_string());
        let looked_at = ["$MGP_CONFIG_PATH, which is not set".to_owned()].into_iter().chain(places);
        Self { demo, looked_at: looked_at.collect::<Vec<_>>().join("; ") }
    }

    /// Returns whether the demo's servers are used.
    pub(super) fn has_demo(&self) -> bool {
        self.demo != Demo::Off
    }

    /// Returns the state of a command that uses only the stored state. At a terminal, that is the user's own: without `--demo`, rules and
    /// keys are made for the user's own servers.
    pub(super) fn for_state(self) -> Self {
        if self.demo == Demo::Terminal { Self { demo: Demo::Off, ..self } } else { self }
    }

    /// Returns the note for the user at the terminal, or for the reader of a host's log. `state` is the folder of the state.
    pub(super) fn note(&self, state: &Path) -> Option<String> {
        let Self { demo, looked_at } = self;
        let place = state.display();
        match demo {
            Demo::Asked => {
                state.ends_with(DEMO_FOLDER).then(|| {
                    format!("the demo keeps its state apart, in {place}: all commands find it with --demo, such as `mgp --demo approve`")
                })
            }
            Demo::Terminal => Some(format!(
                "there is no configuration, so the demo's servers are used, as at every terminal; their state is in {place}, \
                 where `mgp --demo approve` and the other commands find it with --demo; a host gets none of them; make a \
                 configuration with `mgp init`"
            )),
            Demo::Off => Some(format!(
                "there is no configuration, so there are no servers (looked at {looked_at}); make one with `mgp init`, \
                 name one with --config FILE, or use the demo's servers with --demo"
            )),
        }
    }

    /// Returns the instructions that a host gets instead of tools.
    pub(super) fn instructions(&self) -> Option<String> {
        let Self { demo, looked_at } = self;
        (*demo == Demo::Off).then(|| {
            format!(
                "This gateway (mgp) has no configuration, so it has no tools. Tell the user to run `mgp init` in a \
                 terminal, which takes over the servers of other hosts and prints the entry for this host's settings, \
                 and then to restart this host. It looked at: {looked_at}. A file elsewhere is named in this host's \
                 settings: \"args\": [\"serve\", \"--config\", \"/the/whole/path/mgp.toml\"]."
            )
        })
    }
}
