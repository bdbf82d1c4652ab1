//! Shapes of well-known credentials.

/// Prefixes of tokens and the least length of what follows.
const PREFIXES: [(&str, usize); 20] = [
    ("ghp_", 16),
    ("gho_", 16),
    ("ghu_", 16),
    ("ghs_", 16),
    ("ghr_", 16),
    ("github_pat_", 20),
    ("glpat-", 16),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("xoxa-", 10),
    ("xoxs-", 10),
    ("xapp-", 10),
    ("AKIA", 16),
    ("ASIA", 16),
    ("AIza", 30),
    ("sk-ant-", 16),
    ("sk-proj-", 16),
    ("sk-", 32),
    ("npm_", 30),
    ("hf_", 30),
];

/// What `text` holds that looks like a credential, in words.
pub fn credential_in(text: &str) -> Option<&'static str> {
    if text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----") {
        return Some("a private key");
    }
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':');
    text.split(|c: char| !word(c)).find_map(of_word)
}

fn of_word(word: &str) -> Option<&'static str> {
    let known = PREFIXES.iter().any(|(prefix, least)| {
        let rest = word.strip_prefix(prefix).unwrap_or_default();
        let run = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_' || *byte == b'-')
            .count();
        run >= *least && rest.bytes().any(|byte| byte.is_ascii_digit() || byte.is_ascii_uppercase())
    });
    if known {
        return Some("a token of a known service");
    }
    if word.starts_with("eyJ") && word.split('.').count() == 3 && word.len() > 40 {
        return Some("a signed web token");
    }
    let (bot, key) = word.split_once(':')?;
    let bot = bot.strip_prefix("bot").unwrap_or(bot);
    let telegram = (8..=10).contains(&bot.len())
        && bot.bytes().all(|byte| byte.is_ascii_digit())
        && key.len() == 35
        && key.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
    telegram.then_some("the token of a Telegram bot")
}

#[cfg(test)]
mod tests {
    use super::credential_in;

    #[test]
    fn shapes() {
        for hit in [
            "use ghp_0123456789abcdefABCD now",
            "AKIAIOSFODNN7EXAMPLE",
            "123456789:AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
            "-----BEGIN RSA PRIVATE KEY-----",
        ] {
            assert!(credential_in(hit).is_some(), "{hit}");
        }
        for miss in ["ghp_", "sk-learn is a library", "AKIA", "plain words: here", "12:30:00"] {
            assert_eq!(credential_in(miss), None, "{miss}");
        }
    }
}
