/// The roles, attributes and memberships that `roles.sql` creates, as read from its text.
struct ExpectedRoles {
  /// All roles.
  private(set) var names: [String] = []
  /// The roles that cannot log in.
  private(set) var loginless: [String] = []
  /// The roles to which row-level security does not apply.
  private(set) var bypassing: [String] = []
  /// Members with the role that they were granted, separated by a space.
  private(set) var memberships: [String] = []

  /// Reads the lines `('role', 'attributes', …` and `grant role to member, …;`.
  init(_ text: String) {
    for line in text.split(separator: "\n") {
      let quoted = line.split(separator: "'", omittingEmptySubsequences: false)
      if quoted.count > 4, quoted[0].allSatisfy({ $0 == " " || $0 == "(" }), quoted[1].hasPrefix("fettle_") {
        let attributes = quoted[3].split(separator: " ")
        names.append(String(quoted[1]))
        if attributes.contains("nologin") { loginless.append(String(quoted[1])) }
        if attributes.contains("bypassrls") { bypassing.append(String(quoted[1])) }
      }
      let words = line.split { " ,;".contains($0) }
      if words.count > 3, words[0] == "grant", words[2] == "to" {
        memberships += words[3...].map { "\($0) \(words[1])" }
      }
    }
  }
}
