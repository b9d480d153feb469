internal import Domain
internal import FoundationEssentials
internal import Secrets

/// The position after a page: the sort values and the id of the page's last record.
///
/// A cursor is a position, not an offset, so concurrent inserts and deletes do not shift the next page. It
/// does not contain the company; every statement takes the company from the acting context.
struct RecordCursor {
  /// The name of the listed type. Another list refuses the cursor.
  let type: String
  /// The requested order; empty for the default order.
  let sort: String
  /// The last record's sort values as text; nil for null.
  let values: [String?]
  /// The last record's id.
  let id: UUID

  /// The opaque form for clients: Base64 for URLs.
  var text: String {
    let document: JSONValue = [
      "t": .string(type), "s": .string(sort), "i": .string(id.text),
      "v": .array(values.map { $0.map { .string($0) } ?? .null }),
    ]
    return Base64.encode(Array(document.text.utf8), alphabet: .url)
  }

  init(type: String, sort: String, values: [String?], id: UUID) {
    self.type = type
    self.sort = sort
    self.values = values
    self.id = id
  }

  /// Parses a cursor.
  ///
  /// - Parameter columns: the number of sort columns.
  /// - Throws: `invalid_input` unless the text is a cursor of this type and order.
  init(parsing text: String, type: String, sort: String, columns: Int) throws(DomainError) {
    let refusal = DomainError(
      .invalidInput,
      "the cursor belongs to another list",
      hint: "use the cursor of the previous page, with the same type and order"
    )
    guard text.utf8.count <= 8192, let bytes = Base64.decode(text, alphabet: .url),
      let json = String(validating: bytes, as: UTF8.self),
      let document = try? JSONValue(parsing: json).object,  // refused below
      document["t"]?.string == type, document["s"]?.string == sort,
      let id = document["i"]?.string.flatMap(UUID.init(text:)),
      let values = document["v"]?.array, values.count == columns,
      values.allSatisfy({ $0.isNull || $0.string != nil })
    else { throw refusal }
    self.init(type: type, sort: sort, values: values.map(\.string), id: id)
  }
}
