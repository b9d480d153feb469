internal import Cluster
internal import Domain

extension RestoreRun {
  /// Compares the end of the recovery with the archive: PostgreSQL takes a segment that it cannot get for the end of the
  /// log.
  ///
  /// - Parameter newest: the newest segment of the archive.
  /// - Returns: the difference; nil if the whole log was read.
  static func cut(_ server: ServerData, before newest: String) async throws -> String? {
    let (last, next) = try await reached(server)
    guard last.dropFirst(8) < newest.dropFirst(8) else { return nil }
    return "the log ends before \(newest.prefix(8))\(next.dropFirst(8)), which is missing or damaged, and "
      + "the archive goes on to \(newest): what was committed later is not restored"
  }

  /// Returns the names of the last segment of the log that was read by the recovery, and of the next one.
  ///
  /// PostgreSQL takes a segment that it cannot get for the end of the log, and begins a timeline there.
  private static func reached(_ server: ServerData) async throws -> (last: String, next: String) {
    let names = try await server.psql([
      #"""
      select pg_walfile_name(e.place - 1),
        pg_walfile_name(e.place - 1 + pg_size_bytes(current_setting('wal_segment_size')))
      from (
        select h.line[1]::pg_lsn as place, h.number
        from regexp_matches(
          pg_read_file('pg_wal/' || left(pg_walfile_name(pg_current_wal_lsn()), 8) || '.history'),
          '^[0-9]+\t([0-9A-F]+/[0-9A-F]+)', 'gn') with ordinality as h (line, number)
      ) e
      order by e.number desc
      limit 1
      """#
    ]).split(whereSeparator: { $0 == "|" || $0.isNewline }).map(String.init)
    guard names.count == 2 else {
      throw DomainError(.internal, "PostgreSQL does not tell where its log ends")
    }
    return (names[0], names[1])
  }
}
