/// Where a secret is, for files that must not hold one: `file:/etc/fettle/hook.key`, `env:HOOK_KEY` or `stdin`.
package enum SecretReference: Sendable, Hashable {
  /// A file that holds the secret and nothing else.
  case file(String)
  /// A variable of the environment.
  case environment(String)
  /// Standard input, to its end; one secret a run.
  case standardInput

  /// Reads a reference.
  ///
  /// - Throws: `invalid_input`, without repeating the text, which may be the secret itself.
  package init(parsing text: String) throws(DomainError) {
    let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
    switch (parts.first, parts.count > 1 ? parts[1] : nil) {
    case ("stdin"?, nil): self = .standardInput
    case ("file"?, let path?) where !path.isEmpty: self = .file(path)
    case ("env"?, let name?) where !name.isEmpty: self = .environment(name)
    default:
      throw DomainError(
        .invalidInput,
        "a secret does not stand in the file",
        hint: "write where it is: file:PATH, env:NAME or stdin"
      )
    }
  }
}
