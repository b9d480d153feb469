/// The source of a secret, for files that must not contain it: `file:/etc/fettle/hook.key`, `env:HOOK_KEY` or
/// `stdin`.
package enum SecretReference: Sendable, Hashable {
  /// A file that contains only the secret.
  case file(String)
  /// An environment variable.
  case environment(String)
  /// Standard input to its end; one secret per run.
  case standardInput

  /// Parses a reference.
  ///
  /// - Throws: `invalid_input` without the text, which may be the secret itself.
  package init(parsing text: String) throws(DomainError) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count > 1 ? parts[1] : nil) {
    case ("stdin"?, nil): self = .standardInput
    case ("file"?, let path?) where !path.isEmpty: self = .file(path)
    case ("env"?, let name?) where !name.isEmpty: self = .environment(name)
    default:
      throw DomainError(
        .invalidInput,
        "a provisioning file contains no secrets",
        hint: "write where it is: file:PATH, env:NAME or stdin"
      )
    }
  }
}
