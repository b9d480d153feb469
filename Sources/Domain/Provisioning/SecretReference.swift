/// The source of a secret. A provisioning file names the source instead of the secret itself.
///
/// The forms are `file:/etc/fettle/hook.key`, `env:HOOK_KEY` and `stdin`.
package enum SecretReference: Sendable, Hashable {
  /// A file that contains only the secret, by its path.
  case file(String)
  /// An environment variable, by its name.
  case environment(String)
  /// Standard input up to its end. It can give only one secret in a run.
  case standardInput

  /// Parses the source of a secret.
  ///
  /// - Throws: `invalid_input` for any other text. The error does not contain the text, which may be the
  ///   secret.
  package init(parsing text: String) throws(DomainError) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count > 1 ? parts[1] : nil) {
    case ("stdin"?, nil): self = .standardInput
    case ("file"?, let path?) where !path.isEmpty: self = .file(path)
    case ("env"?, let name?) where !name.isEmpty: self = .environment(name)
    default:
      throw DomainError(
        .invalidInput,
        "a provisioning file cannot contain a secret",
        hint: "write its source: file:PATH, env:NAME or stdin"
      )
    }
  }
}
