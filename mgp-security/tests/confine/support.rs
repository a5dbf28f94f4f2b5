//! A folder with decoys, and confined shells in it.

use mgp_security::confine::{
    Confinement, ConfinementSettings, GrantedPermission, LandlockAbi, Profile, ProfileFacts, ProgramFiles,
};
use mgp_transport::{
    child::{ChildCommand, ChildProcess},
    connection::Connection,
    seam::{BoxError, ChildSetup, Incoming, Reply},
};
use mgp_types::{
    context::TrustLevel,
    json::RawJson,
    permission::{GrantScope, StandardPermission},
};
use std::{fs, io, path::PathBuf, process::ExitStatus, sync::Arc};
use xtask_testing::within;

/// The folder of a test: a home, a state folder, and the private folder of a server in it.
pub(crate) struct Rig {
    pub(crate) _folder: tempfile::TempDir,
    pub(crate) root: PathBuf,
    pub(crate) settings: ConfinementSettings,
    pub(crate) approved: Vec<StandardPermission>,
    /// Approvals with limits.
    pub(crate) limited: Vec<GrantedPermission>,
    /// The newest version of Landlock that is used.
    pub(crate) landlock: LandlockAbi,
}

impl Rig {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path().canonicalize().unwrap();
        for name in ["home/.ssh/id_test", "home/notes", "state/audit"] {
            let path = root.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "secret").unwrap();
        }
        Self {
            _folder: folder,
            root,
            settings: ConfinementSettings::default(),
            approved: Vec::new(),
            limited: Vec::new(),
            landlock: LandlockAbi::NEWEST,
        }
    }

    pub(crate) fn private(&self) -> PathBuf {
        self.root.join("state/servers/s")
    }

    pub(crate) fn profile(&self, program: &str) -> Profile {
        let path = std::env::var_os("PATH");
        let mut granted_programs = ProgramFiles::default();
        let granted = self.approved.iter().map(|permission| (*permission).into());
        let granted: Vec<_> = granted.chain(self.limited.iter().cloned()).collect();
        for granted in &granted {
            if let Some(GrantScope::Programs(names)) = &granted.scope {
                let files = names.iter().map(|name| ProgramFiles::find(name, &[], None, path.as_deref()));
                files.for_each(|files| granted_programs.extend(files));
            }
        }
        Profile::derive(&ProfileFacts {
            trust: TrustLevel::Sandboxed,
            settings: &self.settings,
            granted: &granted,
            program: &ProgramFiles::find(program, &[], None, path.as_deref()),
            granted_programs: &granted_programs,
            private_folder: Some(&self.private()),
            kernel_files: &[self.root.join("state"), self.root.join("project/mgp.toml")],
            homes: &[self.root.join("home")],
        })
    }

    /// Runs a script in a confined shell, and returns what it wrote into the file `out` of its private folder.
    pub(crate) async fn run(&self, script: &str) -> String {
        self.start(script, self.setup()).await.unwrap();
        fs::read_to_string(self.private().join("out")).unwrap_or_default()
    }

    /// Returns the confinement of a shell.
    pub(crate) fn setup(&self) -> Arc<Confinement> {
        Arc::new(Confinement::new("s", self.profile("bash")).unwrap().landlock(self.landlock))
    }

    /// Runs a script in a shell, and returns how it ended.
    pub(crate) async fn start(&self, script: &str, setup: Arc<dyn ChildSetup>) -> io::Result<ExitStatus> {
        let (_connection, mut process) = self.spawn(script, setup).await?;
        within(process.wait()).await
    }

    pub(crate) async fn spawn(
        &self,
        script: &str,
        setup: Arc<dyn ChildSetup>,
    ) -> io::Result<(Connection, ChildProcess)> {
        let service =
            tower::service_fn(|_: Incoming| async { Ok::<_, BoxError>(Reply::ok(RawJson::empty_object())) });
        let command = ChildCommand::new("s", "bash").args(["-c", script, "bash"]).setup(setup);
        let command = command.args([self.root.to_str().unwrap()]);
        command.connect(Connection::builder(service)).await
    }
}
