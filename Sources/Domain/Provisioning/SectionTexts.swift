/// The records of a section in a file: a mapping from names to fields, or a list of objects and names.
struct RecordTexts: Decodable {
  let path: String
  let records: [RecordText]

  init(from decoder: any Decoder) throws {
    path = DocumentPath.text(decoder.codingPath)
    if var list = try? decoder.unkeyedContainer() {  // a mapping is read below
      var records: [RecordText] = []
      while !list.isAtEnd {
        let path = DocumentPath.text(list.codingPath + [NamedKey(intValue: list.currentIndex)])
        records.append(try Self.record(nil, list.decode(JSONValue.self), path))
      }
      self.records = records
      return
    }
    let mapping = try decoder.container(keyedBy: NamedKey.self)
    records = try mapping.allKeys.map { key in
      let path = DocumentPath.text(mapping.codingPath + [key])
      return try Self.record(key.stringValue, mapping.decode(JSONValue.self, forKey: key), path)
    }
  }

  private static func record(_ name: String?, _ value: JSONValue, _ path: String) throws -> RecordText {
    switch (name, value) {
    case (_, .object(let fields)): return RecordText(name: name, fields: fields, path: path)
    case (let name?, .null): return RecordText(name: name, fields: [:], path: path)
    case (nil, .string(let name)): return RecordText(name: name, fields: [:], path: path)
    case (nil, .number(let number)): return RecordText(name: number.text, fields: [:], path: path)
    default:
      throw DomainError(
        .invalidDocument,
        "\(path): a record must be a mapping of fields, such as name: Pump",
        details: ["path": .string(path)]
      )
    }
  }
}

/// The `records:` of a company: a mapping from record types to their records.
struct SectionTexts: Decodable {
  let sections: [(type: String, texts: RecordTexts)]

  init(from decoder: any Decoder) throws {
    let mapping = try decoder.container(keyedBy: NamedKey.self)
    sections = try mapping.allKeys.map { ($0.stringValue, try mapping.decode(RecordTexts.self, forKey: $0)) }
  }
}

extension RecordSection {
  init(type: String, texts: RecordTexts) {
    self.init(type: type, path: texts.path, records: texts.records)
  }
}
