//! The children as processes, found by the mark of this run among their arguments.

use std::{
    fs,
    process::{Command, Stdio},
    sync::Arc,
};

/// The children as processes. Clones find the same ones.
#[derive(Debug, Clone)]
pub(crate) struct Processes {
    mark: Arc<str>,
}

impl Processes {
    /// Returns the processes of this run.
    pub(crate) fn of_this_run() -> Self {
        Self { mark: format!("soak-run-{}", std::process::id()).into() }
    }

    /// Returns the mark at the end of a child's command line.
    pub(crate) fn mark(&self) -> &str {
        &self.mark
    }

    /// Returns all running processes, each with the number of its child.
    pub(crate) fn all(&self) -> Vec<(u32, usize)> {
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let processes = entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        processes.filter_map(|process| Some((process, self.child(process)?))).collect()
    }

    /// Returns the number of the child that a process of this run is. A process that has ended and was not waited for has no arguments: see
    /// [`zombies`](Self::zombies).
    fn child(&self, process: u32) -> Option<usize> {
        let line = fs::read(format!("/proc/{process}/cmdline")).ok()?;
        let line = String::from_utf8_lossy(&line);
        let mut words = line.split('\0').skip_while(|word| *word != "--child").skip(1);
        let number = words.next()?.parse().ok()?;
        (words.next()? == &*self.mark).then_some(number)
    }

    /// Counts the children of this process that have ended and were not waited for.
    pub(crate) fn zombies() -> usize {
        let me = std::process::id().to_string();
        let entries = fs::read_dir("/proc").into_iter().flatten().flatten();
        let stats = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
        // After the name in brackets: state, parent.
        let states = stats.filter_map(|stat| Some(stat.rsplit_once(") ")?.1.to_owned()));
        states.filter(|rest| rest.starts_with("Z ") && rest.split(' ').nth(1) == Some(&*me)).count()
    }

    /// Signals a child's process. Returns the process id, or `None` if there is no process.
    pub(super) async fn signal(&self, child: usize, signal: &'static str) -> Option<u32> {
        let this = self.clone();
        let find =
            move || this.all().into_iter().find(|(_, number)| *number == child).map(|(process, _)| process);
        let process = tokio::task::spawn_blocking(find).await.ok()??;
        self.signal_process(process, signal).await.then_some(process)
    }

    /// Signals a process, if it still belongs to this run.
    pub(super) async fn signal_process(&self, process: u32, signal: &'static str) -> bool {
        let this = self.clone();
        let signalled = tokio::task::spawn_blocking(move || {
            this.child(process)?;
            let mut kill = Command::new("kill");
            kill.args(["-s", signal, &process.to_string()]).stdin(Stdio::null()).stderr(Stdio::null());
            kill.status().ok()
        });
        signalled.await.ok().flatten().is_some_and(|status| status.success())
    }
}
