//! Running copies of a server.

use super::{ServerPeer, Transport};
use crate::{
    install::Source,
    peers::{Scene, Service},
    rows::Context,
    tap::Command,
};

/// One running copy of a server: the kernel's, or the one that is asked directly.
#[derive(Debug)]
pub(crate) enum Instance {
    /// Started by whoever speaks to it.
    Child(Command),
    /// Running, and reached at an address.
    Running(Service),
}

impl Instance {
    /// Ends it where it runs on its own.
    pub(crate) async fn stop(self) -> Result<(), String> {
        match self {
            Self::Child(_) => Ok(()),
            Self::Running(service) => service.stop().await,
        }
    }
}

impl ServerPeer {
    /// Makes an instance ready. What it says is recorded under the instance's name and the server's.
    pub(crate) async fn instance(
        &self,
        context: &Context,
        scene: &Scene,
        name: &str,
    ) -> Result<Instance, String> {
        scene.add_instance(name)?;
        let record = context.folder.record(&format!("{name}-{}", self.id));
        let command = self.command(scene, name);
        if self.transport == Transport::Stdio {
            return Ok(Instance::Child(command.tapped(&context.programs, &record)));
        }
        let start = |port: u16| command.env("PORT", port.to_string()).tapped(&context.programs, &record);
        Service::start(start, self.transport, &context.folder, self.id).await.map(Instance::Running)
    }

    fn command(&self, scene: &Scene, instance: &str) -> Command {
        let command = match self.package.source() {
            Source::Npm(home) => {
                let file = home.file(self.package, self.program);
                Command::new(home.node()).args([file.to_string_lossy()])
            }
            Source::Pip(home) => Command::new(home.program(self.program)),
        };
        let command = command.args(self.args.iter().map(|argument| scene.text(argument, instance)));
        let set =
            |command: Command, (name, value): &(&str, &str)| command.env(name, scene.text(value, instance));
        self.env.iter().fold(command, set)
    }
}
