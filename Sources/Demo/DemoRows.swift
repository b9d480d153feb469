package import Domain
package import FoundationEssentials

/// The rows of one type that a guest sees. All have the same columns.
package struct DemoRows: Sendable {
  let type: String
  /// True if the rows belong to the guest's own user.
  let isPrivate: Bool
  let rows: [DemoRow]

  package init(_ type: String, isPrivate: Bool = false, _ rows: [DemoRow]) {
    self.type = type
    self.isPrivate = isPrivate
    self.rows = rows
  }

  var columns: [String] { rows.first?.fields.map(\.0) ?? [] }
}

/// One row that a guest sees.
package struct DemoRow: Sendable {
  let id: UUID
  let status: String?
  /// The values by column, as text.
  let fields: [(String, String?)]
  /// The columns that are relative to today.
  let moving: [String]

  package init(id: UUID, status: String? = nil, fields: [(String, String?)], moving: [String] = []) {
    self.id = id
    self.status = status
    self.fields = fields
    self.moving = moving
  }

  /// Returns all moving columns if the day of at least one differs from the stored row; otherwise no fields.
  func changes(from found: JSONObject) -> JSONObject {
    let wanted = fields.filter { moving.contains($0.0) }
    let isOld = wanted.contains { name, value in
      found[name]?.string.map { String($0.prefix(10)) } != value.map { String($0.prefix(10)) }
    }
    guard isOld else { return [:] }
    return JSONObject(wanted.map { ($0.0, JSONValue.optional($0.1)) })
  }
}

extension JSONValue {
  /// Returns a string, or null for nil.
  package static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }
}
