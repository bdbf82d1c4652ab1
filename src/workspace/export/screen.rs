//! Which plain configuration looks like a credential. A heuristic: what was declared secret never gets here.

use crate::workspace::analyze::literals::credential_in;
use serde_json::Value;
use url::Url;

const CONTAINED: [&str; 17] = [
    "token",
    "secret",
    "passw",
    "pwd",
    "apikey",
    "credential",
    "bearer",
    "cookie",
    "session",
    "authorization",
    "signature",
    "passphrase",
    "dsn",
    "webhook",
    "jwt",
    "otp",
    "accesskey",
];
const KEY_OWNERS: [&str; 4] = ["api", "access", "private", "auth"];
const WORDS: [&str; 10] = ["key", "sig", "auth", "pass", "pat", "pin", "salt", "creds", "code", "pw"];
/// Names that sound like credentials and hold settings, when their value is a number or boolean.
const SETTINGS: [&str; 5] =
    ["max_tokens", "tokenizers_parallelism", "session_timeout", "public_key", "key_id"];
const SCHEMES: [&str; 7] = ["bearer", "basic", "token", "digest", "apikey", "aws4-hmac-sha256", "negotiate"];
/// Short flags that take a password, key or user in many clients.
const SHORT_FLAGS: [&str; 3] = ["-p", "-k", "-u"];
const RANDOM_LENGTH: usize = 24;
const ENTROPY_LENGTH: usize = 20;
const ENTROPY_BITS: f64 = 3.5;

/// Whether a variable, header, parameter or flag of that name holds a credential.
pub fn is_credential_name(name: &str, value: &str) -> bool {
    let name = name.trim_start_matches('-').to_ascii_lowercase();
    let plain = value.parse::<f64>().is_ok() || matches!(value, "true" | "false");
    if plain && SETTINGS.contains(&name.replace('-', "_").as_str()) {
        return false;
    }
    let words: Vec<&str> = name.split(['_', '-']).collect();
    let owned_key = KEY_OWNERS
        .iter()
        .any(|owner| ["", "_", "-"].iter().any(|gap| name.contains(&format!("{owner}{gap}key"))));
    // `code` is a credential only by itself: a zip code is none.
    let word = words.iter().any(|word| WORDS.contains(word) && *word != "code") || name == "code";
    owned_key || word || CONTAINED.iter().any(|part| name.contains(part))
}

/// Whether a value is a credential by its own form: an authorization, an address with one, a known token.
pub fn is_credential_value(value: &str) -> bool {
    is_authorization(value)
        || (value.contains("://") && is_credentialed_url(value))
        || credential_in(value).is_some()
        || (!value.contains("://") && is_random(value))
}

/// Whether text has a piece that nobody would have thought up: long, of letters and digits, every character as likely as
/// the other. The digest of an image or package is no secret.
fn is_random(text: &str) -> bool {
    let mut before = "";
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).any(|piece| {
        let digest = matches!(std::mem::replace(&mut before, piece), "sha256" | "sha384" | "sha512");
        piece.len() >= ENTROPY_LENGTH
            && !digest
            && piece.bytes().any(|byte| byte.is_ascii_digit())
            && piece.bytes().any(|byte| byte.is_ascii_alphabetic())
            && bits_per_character(piece) >= ENTROPY_BITS
    })
}

#[allow(clippy::cast_precision_loss, reason = "lengths of texts")]
fn bits_per_character(text: &str) -> f64 {
    let mut counts = [0_usize; 256];
    text.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let share = |count: &usize| *count as f64 / text.len() as f64;
    counts.iter().filter(|count| **count > 0).map(share).map(|share| -share * share.log2()).sum()
}

fn is_authorization(value: &str) -> bool {
    value.trim().split_once(char::is_whitespace).is_some_and(|(scheme, rest)| {
        SCHEMES.contains(&scheme.to_ascii_lowercase().as_str()) && !rest.trim().is_empty()
    })
}

/// Whether an address holds a credential: user information, a parameter, or a segment that looks random. Text that
/// is no address counts as one that does.
pub fn is_credentialed_url(text: &str) -> bool {
    let Some(at) = text.find("://") else { return false };
    let scheme_length = text[..at]
        .bytes()
        .rev()
        .take_while(|byte| byte.is_ascii_alphanumeric() || b"+.-".contains(byte))
        .count();
    let address = &text[at - scheme_length..];
    let Ok(url) = Url::parse(address) else { return true };
    let authority = address[scheme_length + 3..].split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') || !url.username().is_empty() || url.password().is_some() {
        return true;
    }
    let parameters = |text: &str| {
        url::form_urlencoded::parse(text.as_bytes()).any(|(name, value)| {
            !value.is_empty() && (is_credential_name(&name, &value) || credential_in(&value).is_some())
        })
    };
    parameters(url.query().unwrap_or_default())
        || parameters(url.fragment().unwrap_or_default())
        || url.path().split('/').flat_map(|segment| segment.split(['.', ':'])).any(looks_random)
        || credential_in(url.path()).is_some()
}

fn looks_random(segment: &str) -> bool {
    segment.len() >= RANDOM_LENGTH
        && segment.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-')
        && segment.bytes().any(|byte| byte.is_ascii_digit())
        && segment.bytes().any(|byte| byte.is_ascii_alphabetic())
}

/// What becomes of an argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Screened {
    /// It is exported as it stands.
    Keep,
    /// What follows the prefix is replaced.
    Replace(String),
}

/// Screens arguments in one pass.
pub fn arguments<'a>(args: impl Iterator<Item = Option<&'a str>>) -> Vec<Screened> {
    let mut expects_value = false;
    let mut behind_package = false;
    args.map(|entry| {
        // What is not plain is secret already.
        let Some(entry) = entry else {
            expects_value = false;
            return Screened::Keep;
        };
        let was_expected = std::mem::take(&mut expects_value);
        if was_expected && is_value(entry) {
            return Screened::Replace(String::new());
        }
        let screened = argument(entry);
        if screened == Screened::Keep {
            expects_value = announces(entry, behind_package);
        }
        behind_package |= !entry.starts_with('-');
        screened
    })
    .collect()
}

/// Whether an entry behind a flag is its value and not the next flag: `-abc` is, `-a` and `--abc` are not.
fn is_value(entry: &str) -> bool {
    !entry.starts_with('-') || (!entry.starts_with("--") && entry.len() > 2)
}

/// Whether an entry says that a credential comes next.
fn announces(entry: &str, behind_package: bool) -> bool {
    let name = entry.strip_suffix('=').unwrap_or(entry);
    let flag = name.starts_with('-') && !name.contains(['=', ' ']) && is_credential_name(name, "");
    let upper = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
        && is_credential_name(name, "");
    flag || upper || (behind_package && SHORT_FLAGS.contains(&name))
}

fn argument(entry: &str) -> Screened {
    let whole = Screened::Replace(String::new());
    let equals = entry.find('=');
    let scheme = entry.find("://");
    let address = scheme.is_some_and(|scheme| equals.is_none_or(|equals| scheme < equals));
    if address {
        return if is_credentialed_url(entry) { whole } else { Screened::Keep };
    }
    if is_authorization(entry) || is_document(entry) || is_connection_string(entry) {
        return whole;
    }
    if let Some((name, value)) = entry.split_once('=').filter(|(_, value)| !value.is_empty()) {
        if is_credential_name(name, value) {
            return Screened::Replace(format!("{name}="));
        }
        return match header(value) {
            Screened::Replace(prefix) => Screened::Replace(format!("{name}={prefix}")),
            Screened::Keep if is_credential_value(value) => Screened::Replace(format!("{name}=")),
            Screened::Keep => Screened::Keep,
        };
    }
    match header(entry) {
        Screened::Keep if credential_in(entry).is_some() || is_random(entry) => whole,
        screened => screened,
    }
}

/// `Name: value`
fn header(entry: &str) -> Screened {
    let Some((name, value)) = entry.split_once(':') else { return Screened::Keep };
    let value = value.trim_start();
    let is_name = !name.is_empty()
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_');
    if is_name && !value.is_empty() && (is_credential_name(name, value) || is_credential_value(value)) {
        let gap = &entry[name.len()..entry.len() - value.len()];
        return Screened::Replace(format!("{name}{gap}"));
    }
    Screened::Keep
}

/// JSON with a credential in it.
fn is_document(entry: &str) -> bool {
    fn holds(value: &Value) -> bool {
        match value {
            Value::Object(members) => members.iter().any(|(name, value)| {
                let text = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
                (!value.is_object()
                    && !value.is_array()
                    && !value.is_null()
                    && is_credential_name(name, &text))
                    || holds(value)
            }),
            Value::Array(items) => items.iter().any(holds),
            Value::String(text) => is_credential_value(text),
            _ => false,
        }
    }
    entry.starts_with(['{', '[']) && serde_json::from_str(entry).is_ok_and(|value| holds(&value))
}

/// `key=value;key=value` or `key=value key=value` with a credential in it.
fn is_connection_string(entry: &str) -> bool {
    [';', ' '].iter().any(|gap| {
        let parts: Vec<&str> = entry.split(*gap).filter(|part| !part.is_empty()).collect();
        parts.len() > 1
            && parts.iter().all(|part| part.contains('='))
            && parts.iter().any(|part| {
                part.split_once('=').is_some_and(|(name, value)| is_credential_name(name.trim(), value))
            })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The arguments with `#` where something is replaced.
    fn screened(args: &[&str]) -> Vec<String> {
        let results = arguments(args.iter().map(|entry| Some(*entry)));
        args.iter()
            .zip(results)
            .map(|(entry, result)| match result {
                Screened::Keep => (*entry).to_owned(),
                Screened::Replace(prefix) => format!("{prefix}#"),
            })
            .collect()
    }

    #[test]
    fn t292_what_is_kept_and_what_is_replaced_make_the_argument_again() {
        for entry in [
            "--token=abc",
            "Authorization:  Bearer x",
            "--header=X-API-Key: v",
            "DATABASE_URL=postgres://u:p@h/d",
        ] {
            let Screened::Replace(prefix) = argument(entry) else { panic!("{entry}") };
            assert!(entry.starts_with(&prefix) && entry.len() > prefix.len(), "{entry}");
        }
    }

    #[test]
    fn what_nobody_would_have_thought_up() {
        for random in
            ["q7Xv2LmT9sKd4RwZ8bNc", "--mode=9f8e7d6c5b4a39281706f5e4d3c2b1a0", "q7Xv2LmT9sKd4RwZ8bNcY-_x"]
        {
            assert_ne!(argument(random), Screened::Keep, "{random}");
        }
        for plain in [
            "123e4567-e89b-12d3-a456-426614174000",
            "image@sha256:9f8e7d6c5b4a39281706f5e4d3c2b1a09f8e7d6c5b4a39281706f5e4d3c2b1a0",
            "sha512-9f8e7d6c5b4a39281706f5e4d3c2b1a0",
            "@modelcontextprotocol/server-filesystem@2025.12.18",
            "--internationalization=configuration",
            "aaaaaaaaaaaaaaaaaaaa1",
            "12345678901234567890",
            "/home/someone/projects/my-project-2024/data.json",
        ] {
            assert_eq!(argument(plain), Screened::Keep, "{plain}");
        }
    }

    #[test]
    fn other_forms() {
        assert_eq!(screened(&["-y", "-p", "pkg", "x"]), ["-y", "-p", "pkg", "x"]);
        assert_eq!(screened(&[r#"{"password":"x"}"#, r#"{"mode":"x"}"#]), ["#", r#"{"mode":"x"}"#]);
        assert_eq!(
            screened(&["Server=h;Password=x", "host=h user=u password=x", "a=b c=d"]),
            ["#", "#", "a=b c=d"]
        );
        assert_eq!(screened(&["ghp_0123456789abcdefABCD"]), ["#"]);
    }
}
