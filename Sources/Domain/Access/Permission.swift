/// The right to perform one action: `maintenance.entry.update`, `maintenance.entry.update.own`,
/// `member.invite`.
///
/// A permission includes its `.own` form, which is limited to own records.
package struct Permission: Sendable, Hashable {
  /// The full name, such as `maintenance.entry.update.own`.
  package let name: String

  /// Parses two to four lower-case words joined by dots, with an optional `own` at the end.
  package init(parsing name: String) throws(DomainError) {
    let words = name.split(separator: ".", omittingEmptySubsequences: false)
    let own = words.last == "own" ? 1 : 0
    guard (2...3).contains(words.count - own), words.allSatisfy(Identifier.isWord), name.utf8.count <= 120
    else {
      throw DomainError(.invalidPermission, "\(Quoted(name)) is not a permission")
    }
    self.name = name
  }

  /// A verb on a record type, such as `start` on `maintenance.entry`.
  package init(type: String, verb: String) throws(DomainError) {
    try self.init(parsing: "\(type).\(verb)")
  }

  /// Creates a permission from a literal name; a test validates these with ``init(parsing:)``.
  init(trusted name: String) { self.name = name }

  /// True if it is limited to own records.
  package var isOwn: Bool { name.hasSuffix(".own") }

  /// The same right for all records.
  package var wider: Permission { isOwn ? Permission(trusted: String(name.dropLast(4))) : self }

  /// The same right for own records only.
  package var own: Permission { isOwn ? self : Permission(trusted: name + ".own") }

  /// The record type or engine noun: `maintenance.entry`, `member`.
  package var subject: String {
    let words = wider.name.split(separator: ".")
    return words.dropLast().joined(separator: ".")
  }

  /// The app that it belongs to: `maintenance` for `maintenance.entry.update`; nil for the engine's own.
  package var app: String? {
    let words = wider.name.split(separator: ".")
    return words.count == 3 ? String(words[0]) : nil
  }

  /// The verb, with `.own` if limited: `update.own`, `invite`.
  package var verb: String { String(name.dropFirst(subject.count + 1)) }
}

extension Permission: Comparable {
  /// Sorts by name.
  package static func < (left: Permission, right: Permission) -> Bool { left.name < right.name }
}

extension Permission: CustomStringConvertible, Codable {
  /// The full name.
  package var description: String { name }

  /// Reads the name from text.
  package init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Writes the name as text.
  package func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(name)
  }
}
