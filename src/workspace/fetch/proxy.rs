//! The proxy that everything is fetched through, where an operator names one.

/// A proxy that opens tunnels for host names.
#[derive(Clone)]
pub struct EgressProxy(ureq::Proxy);

impl EgressProxy {
    /// Reads `http://proxy.example:3128`, `https://…`, or `proxy.example:3128`, with `user:password@` where the proxy asks
    /// for it. The text may hold a password, so the message does not repeat it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let wrong = || "an egress proxy is written http://host:port or https://host:port".to_owned();
        let other = text.contains("://") && !text.starts_with("http://") && !text.starts_with("https://");
        if other || text.chars().any(|letter| letter.is_control() || letter.is_whitespace()) {
            return Err(wrong());
        }
        ureq::Proxy::new(text).map(Self).map_err(|_| wrong())
    }

    pub(super) fn inner(&self) -> ureq::Proxy {
        self.0.clone()
    }
}

impl std::fmt::Debug for EgressProxy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EgressProxy")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_names_a_proxy() {
        for good in [
            "http://127.0.0.1:3128",
            "https://proxy.test",
            "proxy.test:3128",
            "http://me:canary-word@proxy.test:8080/",
        ] {
            let proxy = EgressProxy::parse(good).unwrap();
            assert!(!format!("{proxy:?}").contains("canary"), "{good}");
        }
        for bad in ["", "socks5://h:1", "ftp://h", "http://", "http://h o", "http://h\n:canary-word@x"] {
            let message = EgressProxy::parse(bad).unwrap_err();
            assert!(message.contains("http://host:port") && !message.contains("canary"), "{bad}");
        }
    }
}
