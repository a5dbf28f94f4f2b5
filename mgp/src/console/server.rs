//! The server of the console's pages.

use super::commands::{GatewayCommands, RunLine};
use crate::{operator::is_operator_name, options::Options, setup::Reloader};
use mgp_console::{Console, ConsoleAddress, Operator};
use mgp_transport::{
    http::server::{RunningPage, serve_router},
    seam::{Role, Routes},
};
use mgp_types::{
    context::Principal,
    lifecycle::{OpenConsole, OpenConsoleParams, OpenConsoleResult},
    rpc::ErrorObject,
};
use parking_lot::Mutex;
use std::{
    io,
    net::{Ipv4Addr, SocketAddr},
    sync::Arc,
};

/// The console of a gateway. Nothing listens before an operator opens it.
#[derive(Debug)]
pub(crate) struct ConsoleServer {
    options: Options,
    run_line: RunLine,
    reloader: Arc<Reloader>,
    running: Mutex<Option<RunningConsole>>,
    /// Locked while the console is being started.
    turn: tokio::sync::Mutex<()>,
}

#[derive(Debug)]
struct RunningConsole {
    console: Arc<Console>,
    /// Ends the connections when it is dropped.
    _page: RunningPage,
}

impl ConsoleServer {
    pub(crate) fn new(options: &Options, run_line: RunLine, reloader: &Arc<Reloader>) -> Arc<Self> {
        Arc::new(Self {
            options: options.clone(),
            run_line,
            reloader: reloader.clone(),
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

    /// Returns the address of the pages, if the console runs. It signs nobody in.
    pub(crate) fn origin(&self) -> Option<String> {
        self.running.lock().as_ref().map(|running| running.console.origin())
    }

    async fn open(&self, params: OpenConsoleParams) -> Result<OpenConsoleResult, ErrorObject> {
        if !is_operator_name(&params.name) {
            let problem =
                "name is not the name of an operator: expected 1 to 256 bytes without control characters";
            return Err(ErrorObject::invalid_params(problem));
        }
        let opened = self
            .running()
            .await
            .and_then(|console| console.sign_in_address(Operator { name: params.name, role: params.role }));
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
        let mut made = None;
        let page = serve_router(SocketAddr::from((Ipv4Addr::LOCALHOST, 0)), |address| {
            let commands = GatewayCommands::new(&self.options, self.run_line, self.reloader.clone());
            let console = Console::new(commands, ConsoleAddress::Loopback(address))?;
            Some(made.insert(console).clone().router())
        });
        let page = page.await.map_err(io::Error::other)?;
        let console = made.ok_or_else(|| io::Error::other("there is no console for this address"))?;
        *self.running.lock() = Some(RunningConsole { console: console.clone(), _page: page });
        Ok(console)
    }
}
