package import Domain
package import FoundationEssentials
package import Postgres
package import Terminal

extension Cell {
  /// A JSON value as a cell.
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

  /// An id as people and programs write it.
  package init(_ id: UUID) {
    self = .string(id.uuidString.lowercased())
  }

  /// A moment, in RFC 3339.
  package init(_ moment: Timestamp?) {
    self = moment.map { .string($0.description) } ?? .null
  }
}
