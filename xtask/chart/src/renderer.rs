//! Helm and the schemas of Kubernetes, as Python packages, which need neither a binary nor a cluster.

use crate::case::Case;
use serde_json::{Value, json};
use std::{path::Path, process::Stdio, time::Duration};
use tokio::{io::AsyncWriteExt as _, process::Command};
use xtask_install::{Venv, workspace};

/// The packages, in exact versions: `helm-python-sdk` has Helm 4.2.
const PACKAGES: [(&str, &str); 2] = [("helm-python-sdk", "0.2.2"), ("kubernetes-validate", "1.37.0")];
/// The oldest version of Kubernetes that the chart supports, as in its `kubeVersion`, and the newest one with schemas.
pub(crate) const KUBERNETES: [&str; 2] = ["1.30", "1.37"];
/// The time limit for rendering all cases.
const TIMEOUT: Duration = Duration::from_secs(120);

/// The installed packages.
#[derive(Debug)]
pub(crate) struct Renderer(Venv);

impl Renderer {
    /// Installs the packages, unless they are installed already.
    pub(crate) async fn install() -> Result<Self, String> {
        let venv = Venv::new(workspace::target().join("chart/python"));
        if !PACKAGES.iter().all(|(name, version)| venv.has(name, version)) {
            eprintln!("installing Helm and the schemas of Kubernetes");
            venv.install(PACKAGES.map(|(name, version)| format!("{name}=={version}"))).await?;
        }
        Ok(Self(venv))
    }

    /// Renders the chart in a folder with the values of each case. Returns the answer of `render.py`.
    pub(crate) async fn render(&self, chart: &Path, cases: &[Case]) -> Result<Value, String> {
        let values: serde_json::Map<String, Value> =
            cases.iter().map(|case| (case.name.clone(), json!(case.path))).collect();
        let request = json!({ "chart": chart, "kubernetes": KUBERNETES, "values": values }).to_string();
        let mut command = Command::new(self.0.program("python"));
        command.arg(workspace::root().join("xtask/chart/render.py"));
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).kill_on_drop(true);
        let mut child = command.spawn().map_err(|error| format!("failed to run {command:?}: {error}"))?;
        if let Some(mut stdin) = child.stdin.take() {
            // A script that ends early reports the reason on stderr.
            let _ = stdin.write_all(request.as_bytes()).await;
        }
        let output = tokio::time::timeout(TIMEOUT, child.wait_with_output())
            .await
            .map_err(|_| format!("rendering took longer than {TIMEOUT:?}"))?
            .map_err(|error| format!("failed to read the output of render.py: {error}"))?;
        if !output.status.success() {
            let reason = String::from_utf8_lossy(&output.stderr);
            return Err(format!("render.py ended with {}: {}", output.status, reason.trim()));
        }
        serde_json::from_slice(&output.stdout)
            .map_err(|error| format!("render.py printed something other than JSON: {error}"))
    }
}
