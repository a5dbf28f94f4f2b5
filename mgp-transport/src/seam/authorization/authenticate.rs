//! The trait that verifies credentials.

use super::{Authentication, CredentialError, ResourceMetadata};
use async_trait::async_trait;
use http::{HeaderMap, Method};
use std::{fmt::Debug, sync::Arc};

/// The method and the path of an HTTP request.
#[derive(Debug, Clone, Copy)]
pub struct RequestLine<'a> {
    /// The method.
    pub method: &'a Method,
    /// The path, as this server received it.
    pub path: &'a str,
}

/// A verifier of the credentials of HTTP requests: a resource server in the terms of OAuth.
///
/// ```
/// use async_trait::async_trait;
/// use http::{HeaderMap, header::AUTHORIZATION};
/// use mgp_transport::seam::{Authenticate, Authentication, CredentialError, ResourceMetadata};
/// use mgp_types::context::Principal;
///
/// /// One token for everybody. A real one would never be compared like this.
/// #[derive(Debug)]
/// struct OneToken;
///
/// #[async_trait]
/// impl Authenticate for OneToken {
///     async fn authenticate(&self, headers: &HeaderMap, _: &str) -> Result<Authentication, CredentialError> {
///         match headers.get(AUTHORIZATION) {
///             None => Err(CredentialError::missing()),
///             Some(value) if value == "Bearer open-sesame" => Ok(Authentication::new(Principal::agent("all"))),
///             Some(_) => Err(CredentialError::invalid_token("the token is not known")),
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
    /// Returns the principal of a request, and its rights. `resource` is the URL of this server, which a token must name.
    ///
    /// The method is called for every request and must return in bounded time. No part of the headers may be logged.
    ///
    /// # Errors
    /// Returns a [`CredentialError`], the reason that is sent to the client.
    async fn authenticate(
        &self,
        headers: &HeaderMap,
        resource: &str,
    ) -> Result<Authentication, CredentialError>;

    /// Returns the principal of a request, like [`authenticate`](Self::authenticate), which is the default. Credentials that are valid for
    /// one request are checked against its line.
    ///
    /// # Errors
    /// Returns a [`CredentialError`], the reason that is sent to the client.
    async fn authenticate_request(
        &self,
        request: RequestLine<'_>,
        headers: &HeaderMap,
        resource: &str,
    ) -> Result<Authentication, CredentialError> {
        let _ = request;
        self.authenticate(headers, resource).await
    }

    /// Checks that the authenticated principal may use a method. `name` is the name of the tool if the method is `tools/call`. Must
    /// not wait.
    ///
    /// # Errors
    /// Usually returns [`CredentialError::InsufficientScope`].
    fn check(
        &self,
        _who: &Authentication,
        _method: &str,
        _name: Option<&str>,
    ) -> Result<(), CredentialError> {
        Ok(())
    }

    /// Checks that credentials are still valid, before a request that waited continues. Must not wait. Passes by default.
    ///
    /// # Errors
    /// Returns a [`CredentialError`] if the credentials are no longer valid.
    fn check_again(&self, _who: &Authentication) -> Result<(), CredentialError> {
        Ok(())
    }

    /// Returns the metadata of this resource for clients (RFC 9728).
    fn metadata(&self) -> ResourceMetadata;
}

#[async_trait]
impl<A: Authenticate + ?Sized> Authenticate for Arc<A> {
    async fn authenticate(
        &self,
        headers: &HeaderMap,
        resource: &str,
    ) -> Result<Authentication, CredentialError> {
        (**self).authenticate(headers, resource).await
    }

    async fn authenticate_request(
        &self,
        request: RequestLine<'_>,
        headers: &HeaderMap,
        resource: &str,
    ) -> Result<Authentication, CredentialError> {
        (**self).authenticate_request(request, headers, resource).await
    }

    fn check(&self, who: &Authentication, method: &str, name: Option<&str>) -> Result<(), CredentialError> {
        (**self).check(who, method, name)
    }

    fn check_again(&self, who: &Authentication) -> Result<(), CredentialError> {
        (**self).check_again(who)
    }

    fn metadata(&self) -> ResourceMetadata {
        (**self).metadata()
    }
}
