/// The right to perform one action, such as `maintenance.entry.update` or `invite.create`.
///
/// With `.own` at the end, such as `maintenance.entry.update.own`, it applies only to the actor's own
/// records. A permission includes its `.own` form.
package struct Permission: Sendable, Hashable {
  /// The full name, such as `maintenance.entry.update.own`.
  package let name: String

  /// Parses two or three lower-case words joined by dots, optionally followed by `.own`; at most 120 bytes.
  ///
  /// - Throws: `invalid_permission`.
  package init(parsing name: String) throws(DomainError) {
    let words = name.split(separator: ".", omittingEmptySubsequences: false)
    let own = words.last == "own" ? 1 : 0
    guard (2...3).contains(words.count - own), words.allSatisfy(Identifier.isWord), name.utf8.count <= 120
    else {
      throw DomainError(.invalidPermission, "\(Quoted(name)) is not a permission")
    }
    self.name = name
  }

  /// Creates a permission from a record type and a verb, such as `maintenance.entry` and `start`.
  ///
  /// - Throws: `invalid_permission`.
  package init(type: String, verb: String) throws(DomainError) {
    try self.init(parsing: "\(type).\(verb)")
  }

  /// Creates a permission from a literal name; a test validates these with ``init(parsing:)``.
  init(trusted name: String) { self.name = name }

  /// True if the permission applies only to own records.
  package var isOwn: Bool { name.hasSuffix(".own") }

  /// The permission without `.own`: the same right for all records.
  package var wider: Permission { isOwn ? Permission(trusted: String(name.dropLast(4))) : self }

  /// The permission with `.own`: the same right for own records only.
  package var own: Permission { isOwn ? self : Permission(trusted: name + ".own") }

  /// The record type or engine noun: `maintenance.entry`, `member`.
  package var subject: String {
    let words = wider.name.split(separator: ".")
    return words.dropLast().joined(separator: ".")
  }

  /// The app of the permission, such as `maintenance` for `maintenance.entry.update`; nil for the engine's
  /// permissions.
  package var app: String? {
    let words = wider.name.split(separator: ".")
    return words.count == 3 ? String(words[0]) : nil
  }

  /// The verb, including `.own` if present: `update.own`, `invite`.
  package var verb: String { String(name.dropFirst(subject.count + 1)) }
}

extension Permission: Comparable {
  /// Sorts by name.
  package static func < (left: Permission, right: Permission) -> Bool { left.name < right.name }
}

extension Permission: CustomStringConvertible, Codable {
  /// The full name.
  package var description: String { name }

  /// Decodes the name from a string.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the name as a string.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
