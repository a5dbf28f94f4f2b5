//! Running copies of a server.

use super::ServerPeer;
use crate::{
    install::Source,
    peers::{Scene, Service},
    rows::Context,
    tap::Command,
};

/// One running copy of a server: the kernel's, or the one that is called directly.
#[derive(Debug)]
pub(crate) enum Instance {
    /// A program that its client starts.
    Child(Command),
    /// A running program at an address.
    Running(Service),
}

impl Instance {
    /// Stops the instance, if it runs on its own.
    pub(crate) async fn stop(self) -> Result<(), String> {
        match self {
            Self::Child(_) => Ok(()),
            Self::Running(service) => service.stop().await,
        }
    }
}

impl ServerPeer {
    /// Prepares an instance. Its messages are recorded under the names of the instance and the server.
    pub(crate) async fn instance(
        &self,
        context: &Context,
        scene: &Scene,
        name: &str,
    ) -> Result<Instance, String> {
        scene.add_instance(name)?;
        let record = context.folder.record(&format!("{name}-{}", self.id));
        let command = self.command(scene, name);
        if self.is_child() {
            return Ok(Instance::Child(command.tapped(&context.programs, &record)));
        }
        let start = |port: u16| command.env("PORT", port.to_string()).tapped(&context.programs, &record);
        Service::start(start, self.transport, &context.folder, self.id).await.map(Instance::Running)
    }

    /// Returns the command of an instance that its client starts, without a tap.
    pub(crate) fn bare(&self, scene: &Scene, name: &str) -> Result<Command, String> {
        scene.add_instance(name)?;
        Ok(self.command(scene, name))
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
