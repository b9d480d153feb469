package import Domain
package import FoundationEssentials

extension Cell {
  /// Converts a JSON value.
  package init(_ value: JSONValue) {
    switch value {
    case .null: self = .null
    case .bool(let value): self = .bool(value)
    case .number(let number): self = .number(number.description)
    case .string(let text): self = .string(text)
    case .array(let elements): self = .list(elements.map(Cell.init))
    case .object(let object): self = .nested(object.members.map { Field($0.key, Cell($0.value)) })
    }
  }

  /// Formats an id in lower case.
  package init(_ id: UUID) {
    self = .string(id.uuidString.lowercased())
  }

  /// Formats a timestamp in RFC 3339; nil becomes null.
  package init(_ moment: Instant?) {
    self = moment.map { .string($0.description) } ?? .null
  }
}
