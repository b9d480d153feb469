extension Instant: Codable {
  /// Decodes RFC 3339 text.
  ///
  /// - Throws: `invalid_instant`.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the instant as RFC 3339 text in UTC.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(rfc3339)
  }
}

extension LocalDate: Codable {
  /// Decodes a date of the form `2026-03-28`.
  ///
  /// - Throws: `invalid_date`.
  public init(from decoder: any Decoder) throws {
    try self.init(parsing: decoder.singleValueContainer().decode(String.self))
  }

  /// Encodes the date in the form `2026-03-28`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension LocalTime: Codable {
  /// Decodes a time of the form `08:00`, or `08:00:00` as PostgreSQL prints it.
  ///
  /// - Throws: `invalid_time`.
  public init(from decoder: any Decoder) throws {
    let text = try decoder.singleValueContainer().decode(String.self)
    // PostgreSQL prints the seconds too, which are always zero in these columns.
    try self.init(parsing: text.utf8.count == 8 && text.hasSuffix(":00") ? String(text.dropLast(3)) : text)
  }

  /// Encodes the time in the form `08:00`.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(description)
  }
}

extension ExactDecimal: Codable {
  /// Decodes a number, or a string that contains one. A string stays exact if a parser rounds numbers.
  ///
  /// - Throws: `invalid_number`, or the decoder's error.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if let integer = try? container.decode(Int64.self) {  // a fraction is decoded below
      self.init(integer)
    } else if let text = try? container.decode(String.self) {  // a number is decoded below
      try self.init(parsing: text)
    } else {
      try self.init(parsing: String(container.decode(Double.self)))
    }
  }

  /// Encodes the number as a string, so that no parser rounds it.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(text)
  }
}
