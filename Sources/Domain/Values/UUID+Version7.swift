package import FoundationEssentials

extension UUID {
  /// Parses an id.
  ///
  /// - Throws: `invalid_id` with the text.
  package init(parsing text: String) throws(DomainError) {
    guard let id = UUID(uuidString: text) else {
      throw DomainError(.invalidID, "\(Quoted(text)) is not an id")
    }
    self = id
  }

  /// Makes an id of version 7 (RFC 9562): later ids sort later, so that an index grows at its end.
  package static func version7(at now: Instant, using generator: inout some RandomNumberGenerator) -> UUID {
    let milliseconds = UInt64(clamping: now.microseconds / 1000)
    let high = generator.next()
    let low = generator.next()
    func byte(_ value: UInt64, _ shift: UInt64) -> UInt8 { UInt8(truncatingIfNeeded: value >> shift) }
    return UUID(
      uuid: (
        byte(milliseconds, 40), byte(milliseconds, 32), byte(milliseconds, 24),
        byte(milliseconds, 16), byte(milliseconds, 8), byte(milliseconds, 0),
        0x70 | byte(high, 0) & 0x0F, byte(high, 8), 0x80 | byte(low, 0) & 0x3F,
        byte(low, 8), byte(low, 16), byte(low, 24), byte(low, 32), byte(low, 40), byte(low, 48), byte(low, 56)
      )
    )
  }

  /// The id in lower case, as PostgreSQL prints it.
  package var text: String { uuidString.lowercased() }
}
