package import FoundationEssentials

/// What a process remembers outside the database of where the data were, to notice a restore.
package struct Witness: Sendable, Hashable {
  package let installation: UUID
  package let epoch: UUID
  package let system: String
  package let timeline: Int64
  package let position: Int64
  /// The number of the database on its server; 0 if unknown.
  package let database: Int64
  /// True if commits waited for a standby.
  package let isSynchronous: Bool

  package init(_ standing: DataStanding) {
    installation = standing.installation
    epoch = standing.epoch
    system = standing.system
    timeline = standing.timeline
    position = standing.position
    database = standing.database
    isSynchronous = standing.isSynchronous
  }

  /// True if another witness differs in its position only.
  package func isOfSameData(as other: Witness) -> Bool {
    installation == other.installation && epoch == other.epoch && system == other.system
      && timeline == other.timeline
      && database == other.database && isSynchronous == other.isSynchronous
  }

  /// A difference that a restore or a promotion makes.
  package enum Difference: String, Sendable, Hashable {
    /// Another data folder: a restore from a dump, or an upgrade of the server.
    case system
    /// Another database of the same server: a copy was put in its place.
    case database
    /// Another timeline: a recovery to a point in time, or a promotion.
    case timeline
    /// A lower timeline: there were two primaries, and this one has the older data.
    case olderTimeline = "older_timeline"
    /// A lower position: a restore of the data folder.
    case position
  }

  /// The judgement on the data as they are now.
  package enum Judgement: Sendable, Hashable {
    /// The data went on.
    case same
    /// Changes may be lost, and the epoch must be replaced.
    case lost(Difference)
    /// Changes may be lost, and another process has replaced the epoch for that.
    case replaced
    /// An operator announced the promotion, or the standby that was promoted has every commit.
    case kept(Difference)
  }

  /// Judges the data as they are now.
  ///
  /// The announcement of a promotion does not cover a lower position, with which changes are lost for certain. If
  /// commits waited for a standby, a promotion that continues the log has lost none of them.
  package func judge(_ now: DataStanding) -> Judgement {
    guard now.installation == installation else { return .same }
    guard let difference = difference(now) else { return .same }
    if now.epoch != epoch, now.replaced.contains(epoch) { return .replaced }
    guard now.position >= position else { return .lost(difference) }
    return now.isKept || (isSynchronous && difference == .timeline) ? .kept(difference) : .lost(difference)
  }

  private func difference(_ now: DataStanding) -> Difference? {
    if now.system != system { return .system }
    if now.timeline < timeline { return .olderTimeline }
    if database != 0, now.database != database { return .database }
    if now.timeline > timeline { return .timeline }
    return now.position < position ? .position : nil
  }

  /// The content of the file: a line of words.
  var text: String {
    "fettle-witness 2 \(installation.uuidString.lowercased()) \(epoch.uuidString.lowercased()) \(system) \(timeline) "
      + "\(position) \(database) \(isSynchronous ? "synchronous" : "alone")\n"
  }

  /// Nil for a text that is not the content of such a file. The first form had no database and no standby.
  init?(text: String) {
    let words = text.split { $0.isWhitespace }.map(String.init)
    let isFirst = words.count == 7
    guard words.count == 9 || isFirst, words[0] == "fettle-witness", words[1] == (isFirst ? "1" : "2"),
      let installation = UUID(uuidString: words[2]), let epoch = UUID(uuidString: words[3]),
      let timeline = Int64(words[5]), let position = Int64(words[6]),
      let database = isFirst ? 0 : Int64(words[7])
    else { return nil }
    self.installation = installation
    self.epoch = epoch
    self.system = words[4]
    self.timeline = timeline
    self.position = position
    self.database = database
    isSynchronous = !isFirst && words[8] == "synchronous"
  }
}
