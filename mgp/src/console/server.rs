//! The server of the console's pages.

use super::commands::GatewayCommands;
use crate::{operator::is_operator_name, options::Options};
use mgp_console::{Console, ConsoleAddress, Operator, OperatorRole};
use mgp_transport::seam::{Role, Routes};
use mgp_types::{
    context::Principal,
    lifecycle::{OpenConsole, OpenConsoleParams, OpenConsoleResult},
    rpc::ErrorObject,
};
use parking_lot::Mutex;
use std::{io, net::Ipv4Addr, sync::Arc};
use tokio::{net::TcpListener, task::AbortHandle};

/// The console of a gateway. Nothing listens before an operator opens it.
#[derive(Debug)]
pub(crate) struct ConsoleServer {
    options: Options,
    running: Mutex<Option<RunningConsole>>,
    /// Locked while the console is being started.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct RunningConsole {
    console: Arc<Console>,
    serving: AbortHandle,
}

impl ConsoleServer {
    pub(crate) fn new(options: &Options) -> Arc<Self> {
        Arc::new(Self {
            options: options.clone(),
            running: Mutex::default(),
            turn: tokio::sync::Mutex::default(),
        })
    }

    /// Returns the method with which operators open the console.
    pub(crate) fn routes(self: &Arc<Self>) -> Routes {
        let open = |server: Arc<Self>, _: Principal, params: OpenConsoleParams| async move {
            server.open(params).await
        };
        Routes::new().typed(OpenConsole, Role::Admin, open).with_state(self.clone())
    }

    /// Returns whether an operator's session is open, with which the gateway is in use.
    pub(crate) fn is_used(&self) -> bool {
        self.running.lock().as_ref().is_some_and(|running| running.console.open_sessions() > 0)
    }

    async fn open(&self, params: OpenConsoleParams) -> Result<OpenConsoleResult, ErrorObject> {
        let role = [OperatorRole::Viewer, OperatorRole::Approver, OperatorRole::Admin];
        let Some(role) = role.into_iter().find(|role| role.as_str() == params.role) else {
            let problem = format!("role is {:?}: expected viewer, approver or admin", params.role);
            return Err(ErrorObject::invalid_params(problem));
        };
        if !is_operator_name(&params.name) {
            let problem =
                "name is not the name of an operator: expected 1 to 256 bytes without control characters";
            return Err(ErrorObject::invalid_params(problem));
        }
        let opened = self
            .running()
            .await
            .and_then(|console| console.sign_in_address(Operator { name: params.name, role }));
        match opened {
            Ok(address) => Ok(OpenConsoleResult { address }),
            Err(error) => Err(ErrorObject::internal(format!("the console cannot be served: {error}"))),
        }
    }

    /// Returns the console, which is started if it does not run.
    async fn running(&self) -> io::Result<Arc<Console>> {
        let _turn = self.turn.lock().await;
        if let Some(running) = &*self.running.lock() {
            return Ok(running.console.clone());
        }
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = ConsoleAddress::Loopback(listener.local_addr()?);
        let console = Console::new(GatewayCommands::new(&self.options), &address)
            .ok_or_else(|| io::Error::other("the address is not one of this machine"))?;
        let router = console.clone().router();
        let serving = tokio::spawn(async move {
            if let Err(error) = axum::serve(listener, router).await {
                tracing::error!(%error, "the console is not served any more");
            }
        });
        let running = RunningConsole { console: console.clone(), serving: serving.abort_handle() };
        *self.running.lock() = Some(running);
        Ok(console)
    }
}

impl Drop for RunningConsole {
    fn drop(&mut self) {
        self.serving.abort();
    }
}
