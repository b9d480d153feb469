extension DomainError {
  /// Returns the error with the app's message for the guard that refused; other errors are returned
  /// unchanged.
  package func wording(_ messages: [GuardMessage]) -> DomainError {
    guard code == .guardRefused, let name = details["guard"]?.string,
      let text = messages.first(where: { $0.name == name })?.text
    else { return self }
    return DomainError(
      code,
      text.hasSuffix(".") ? String(text.dropLast()) : text,
      hint: hint,
      details: details
    )
  }
}
