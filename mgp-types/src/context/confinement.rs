//! The modes of confinement, and its presets.

spelled! {
    /// The mode in which the operating system confines the process of a server.
    pub enum ConfinementMode as "mode of confinement" {
        /// A server that cannot be confined completely is not started.
        Require = "require",
        /// A server is confined as far as the operating system can, and the rest is logged.
        BestEffort = "best_effort",
        /// A server is not confined.
        Off = "off",
    }
}

spelled! {
    /// The means by which the process of a server is confined.
    pub enum ConfinementRunner as "runner of confinement" {
        /// The gateway's own namespaces, or those of bubblewrap if this machine refuses the gateway its own. A command that is `docker run` or
        /// `podman run` runs in a container.
        Auto = "auto",
        /// The gateway's own namespaces.
        Native = "native",
        /// Namespaces that bubblewrap makes.
        Bubblewrap = "bubblewrap",
        /// A container of podman or docker.
        Container = "container",
    }
}

spelled! {
    /// A preset for a kind of program that has additional needs when confined.
    pub enum ConfinementPreset as "preset of confinement" {
        /// A runner of packages, such as npx or uvx: it loads a package from a registry into the private folder, and starts it.
        Packages = "packages",
    }
}
