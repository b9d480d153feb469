internal import Domain
internal import Store

/// The schema of a column's values.
struct ColumnSchema {
  /// The maximum characters of a text, elements of a list or bytes of a document that the manifest sets; nil
  /// for the default.
  var limit: Int?
  /// The values of an enumeration, such as the states of a workflow; nil for none.
  var values: [String]?

  /// Returns the schema of the values that clients may write.
  func writing(_ column: Column) -> JSONObject {
    described(column, nullable(kind(column.kind), column.isNullable))
  }

  /// Returns the schema of the values in answers.
  ///
  /// - Parameter isNullable: false if the table refuses null. PostgreSQL reports the columns of views as nullable.
  func reading(_ column: Column, isNullable: Bool) -> JSONObject {
    // Limits hold for new values; an earlier version of the app may have stored larger ones.
    described(column, nullable(Self.shape(column.kind, values), isNullable))
  }

  private func kind(_ kind: ColumnKind) -> JSONObject {
    var json = Self.shape(kind, values)
    switch kind {
    case .text where values == nil: json["maxLength"] = .integer(limit ?? Self.longestText)
    case .array(let element):
      json["items"] = .object(ColumnSchema().kind(element))
      json["maxItems"] = .integer(limit ?? Self.longestList)
    case .integer(let bits):
      let largest = bits == 63 ? Int64.max : Int64(1) << bits - 1
      json["minimum"] = .integer(-largest - 1)
      json["maximum"] = .integer(largest)
    case .numeric(let whole?, _) where whole < 16:
      let bound = (0..<whole).reduce(Int64(1)) { power, _ in power * 10 }
      json["exclusiveMinimum"] = .integer(-bound)
      json["exclusiveMaximum"] = .integer(bound)
    default: break
    }
    return json
  }

  private static func shape(_ kind: ColumnKind, _ values: [String]?) -> JSONObject {
    switch kind {
    case .text:
      var json: JSONObject = ["type": "string"]
      if let values { json["enum"] = .strings(values) }
      return json
    case .date: return ["type": "string", "format": "date"]
    case .time: return ["type": "string", "pattern": #"^[0-2][0-9]:[0-5][0-9](:[0-5][0-9])?$"#]
    case .instant: return ["type": "string", "format": "date-time"]
    case .boolean: return ["type": "boolean"]
    case .id: return ["type": "string", "format": "uuid"]
    case .integer: return ["type": "integer"]
    case .numeric, .real: return ["type": "number"]
    case .array(let element): return ["type": "array", "items": .object(shape(element, nil))]
    case .json, .other: return [:]
    }
  }

  private func nullable(_ json: JSONObject, _ isNullable: Bool) -> JSONObject {
    isNullable ? Schema.nullable(.raw(json)).json(for: .request) : json
  }

  private func described(_ column: Column, _ json: JSONObject) -> JSONObject {
    var json = json
    if let comment = column.comment { json["description"] = .string(comment) }
    return json
  }

  // The defaults of the engine's check of fields.
  private static let longestText = 10_000
  private static let longestList = 1_000
}
