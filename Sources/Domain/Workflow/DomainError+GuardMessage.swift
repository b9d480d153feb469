extension DomainError {
  /// The same refusal in the words that the app's manifest has for the guard that refused.
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
