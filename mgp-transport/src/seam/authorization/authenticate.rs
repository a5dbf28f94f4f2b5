//! What judges credentials.

use super::{Authenticated, Denied, ResourceMetadata};
use async_trait::async_trait;
use http::HeaderMap;
use std::fmt::Debug;

/// Judges the credentials of HTTP requests: a resource server in the words of OAuth.
///
/// ```
/// use async_trait::async_trait;
/// use http::{HeaderMap, header::AUTHORIZATION};
/// use mgp_transport::seam::{Authenticate, Authenticated, Denied, ResourceMetadata};
/// use mgp_types::context::Principal;
///
/// /// One token for everybody. A real one would never be compared like this.
/// #[derive(Debug)]
/// struct OneToken;
///
/// #[async_trait]
/// impl Authenticate for OneToken {
///     async fn authenticate(&self, headers: &HeaderMap, _: &str) -> Result<Authenticated, Denied> {
///         match headers.get(AUTHORIZATION) {
///             None => Err(Denied::missing()),
///             Some(value) if value == "Bearer open-sesame" => Ok(Authenticated::new(Principal::agent("all"))),
///             Some(_) => Err(Denied::invalid_token("the token is not known")),
///         }
///     }
///
///     fn metadata(&self) -> ResourceMetadata {
///         ResourceMetadata { authorization_servers: vec!["https://auth.example".into()], ..Default::default() }
///     }
/// }
/// ```
#[async_trait]
pub trait Authenticate: Debug + Send + Sync {
    /// Who a request is made for. `resource` is the URL that this server is known by: what a token must be meant for.
    ///
    /// It is asked for every request and must end by itself. Nothing of the headers may go into a log.
    ///
    /// # Errors
    /// [`Denied`]: what the client is told.
    async fn authenticate(&self, headers: &HeaderMap, resource: &str) -> Result<Authenticated, Denied>;

    /// Whether who was authenticated may use a method. `name` is the tool's where the method is `tools/call`. It must
    /// not wait.
    ///
    /// # Errors
    /// [`Denied::InsufficientScope`], as a rule.
    fn check(&self, _who: &Authenticated, _method: &str, _name: Option<&str>) -> Result<(), Denied> {
        Ok(())
    }

    /// What clients are told of this resource (RFC 9728).
    fn metadata(&self) -> ResourceMetadata;
}
