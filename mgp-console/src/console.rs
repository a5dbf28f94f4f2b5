//! The console as a whole.

use crate::{
    commands::Commands,
    guard::{Address, Sessions},
    operator::{Operator, OperatorKeys},
    texts::{Texts, texts_for},
};
use http::{HeaderMap, Uri};
use std::{
    fmt, io,
    net::SocketAddr,
    sync::{Arc, atomic::AtomicU64},
};

/// The place at which browsers reach a console.
#[derive(Debug)]
pub enum ConsoleAddress {
    /// A port of this machine.
    Loopback(SocketAddr),
    /// The public origin, such as `https://console.example.com`, and the keys with which operators sign in there. TLS ends there.
    Public(Uri, Box<dyn OperatorKeys>),
}

/// The console of a gateway.
///
/// ```
/// use mgp_console::{CommandError, Commands, Console, ConsoleAddress, LiveEvent, Operator, OperatorRole};
///
/// struct Program;
///
/// #[async_trait::async_trait]
/// impl Commands for Program {
///     async fn run(&self, _: &Operator, words: &[String]) -> Result<String, CommandError> {
///         Err(CommandError::new("not_found", format!("there is no command {words:?}")))
///     }
///
///     fn follow(&self) -> futures_core::stream::BoxStream<'static, LiveEvent> {
///         Box::pin(futures_util::stream::empty())
///     }
/// }
///
/// let console = Console::new(Program, ConsoleAddress::Loopback(([127, 0, 0, 1], 7444).into())).expect("an address");
/// let ann = Operator { name: "ann".to_owned(), role: OperatorRole::Admin };
/// let address = console.sign_in_address(ann)?;
/// assert!(address.starts_with("http://127.0.0.1:7444/sign-in#"));
/// let router = console.router();
/// # let _ = router;
/// # Ok::<(), std::io::Error>(())
/// ```
pub struct Console {
    pub(crate) commands: Box<dyn Commands>,
    pub(crate) address: Address,
    pub(crate) sessions: Sessions,
    /// The keys with which operators sign in, if the console is for other machines.
    pub(crate) keys: Option<Box<dyn OperatorKeys>>,
    /// The number of browsers' reports on forbidden content.
    pub(crate) violations: AtomicU64,
}

impl Console {
    /// Creates a console. Returns `None` if a public origin is not one of `https`.
    #[must_use]
    pub fn new(commands: impl Commands, address: ConsoleAddress) -> Option<Arc<Self>> {
        let (address, keys) = match address {
            ConsoleAddress::Loopback(address) => (Address::loopback(address), None),
            ConsoleAddress::Public(origin, keys) => (Address::public(&origin)?, Some(keys)),
        };
        Some(Arc::new(Self {
            commands: Box::new(commands),
            address,
            sessions: Sessions::default(),
            keys,
            violations: AtomicU64::new(0),
        }))
    }

    /// Returns an address that opens one session for an operator, within two minutes. Its secret is in the fragment, which no log has.
    ///
    /// # Errors
    /// If the system has no random bytes.
    pub fn sign_in_address(&self, operator: Operator) -> io::Result<String> {
        let token = self.sessions.token(operator)?;
        Ok(format!("{}/sign-in#{}", self.address.origin(), token.as_str()))
    }

    /// Returns the address of the pages, such as `http://127.0.0.1:7444`. It signs nobody in.
    #[must_use]
    pub fn origin(&self) -> String {
        self.address.origin()
    }

    /// Returns the number of open sessions, with which the gateway is in use.
    #[must_use]
    pub fn open_sessions(&self) -> usize {
        self.sessions.count()
    }

    /// Returns the texts in the language of a browser.
    pub(crate) fn texts(&self, headers: &HeaderMap) -> &'static Texts {
        texts_for(headers)
    }
}

impl fmt::Debug for Console {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Console").field("address", &self.address).finish_non_exhaustive()
    }
}
