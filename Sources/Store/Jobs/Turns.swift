package import FoundationEssentials

/// Items in the order of whose turn it is: urgent ones first; within a priority the queues in proportion to their
/// weights; within a queue company by company.
///
/// Fair because a company's turn comes around after one turn of each other company, however many items it has. A value
/// without a clock or a database, so that its rules can be tested for themselves.
package struct Turns<Item: Sendable>: Sendable {
  /// What an item is ordered by.
  package struct Place: Sendable {
    package let priority: Int
    package let queue: String
    package let company: UUID

    package init(priority: Int, queue: String, company: UUID) {
      self.priority = priority
      self.queue = queue
      self.company = company
    }
  }

  /// The companies of one priority and queue, the one whose turn is next first.
  private struct Round: Sendable {
    var order = Line<UUID>()
    var items: [UUID: Line<Item>] = [:]
    /// Smooth weighted turns: grows by the queue's weight at each choice, and falls by the sum of all when chosen.
    var credit = 0

    mutating func add(_ item: Item, _ company: UUID) {
      if items[company] == nil { order.append(company) }
      items[company, default: Line()].append(item)
    }

    /// The next item of the company whose turn it is, which then comes last.
    mutating func next() -> Item? {
      guard let company = order.popFirst(), let item = items[company]?.popFirst() else { return nil }
      if items[company]?.isEmpty == true {
        items[company] = nil
      } else {
        order.append(company)
      }
      return item
    }
  }

  /// By priority, then by queue; none without items.
  private var levels: [Int: [String: Round]] = [:]
  private let weights: [String: Int]
  /// How many items there are.
  package private(set) var count = 0

  /// - Parameter weights: of queues; 1 for those not named.
  package init(weights: [String: Int] = [:]) {
    self.weights = weights
  }

  package var isEmpty: Bool { count == 0 }

  /// Adds an item behind those of its company; a company that had none comes behind the others.
  package mutating func add(_ item: Item, at place: Place) {
    levels[place.priority, default: [:]][place.queue, default: Round()].add(item, place.company)
    count += 1
  }

  /// Takes the item whose turn it is.
  package mutating func next() -> Item? {
    guard let priority = levels.count == 1 ? levels.first?.key : levels.keys.min(),
      let queue = chooseQueue(priority), let item = levels[priority]?[queue]?.next()
    else { return nil }
    count -= 1
    if levels[priority]?[queue]?.items.isEmpty == true {
      levels[priority]?[queue] = nil
      if levels[priority]?.isEmpty == true { levels[priority] = nil }
    }
    return item
  }

  /// Takes all items for which the condition holds.
  package mutating func remove(where isChosen: (Item) -> Bool) -> [Item] {
    var kept = Turns(weights: weights)
    var removed: [Item] = []
    for (priority, rounds) in levels {
      for (queue, var round) in rounds {
        while let company = round.order.first, let item = round.next() {
          if isChosen(item) {
            removed.append(item)
          } else {
            kept.add(item, at: Place(priority: priority, queue: queue, company: company))
          }
        }
      }
    }
    self = kept
    return removed
  }

  private mutating func chooseQueue(_ priority: Int) -> String? {
    guard let rounds = levels[priority], rounds.count > 1 else { return levels[priority]?.first?.key }
    var best: (queue: String, credit: Int)?
    var sum = 0
    // By name among equals, so that the order does not depend on hashing.
    for queue in rounds.keys.sorted() {
      let weight = max(1, weights[queue] ?? 1)
      let credit = (rounds[queue]?.credit ?? 0) + weight
      sum += weight
      levels[priority]?[queue]?.credit = credit
      if best.map({ credit > $0.credit }) ?? true { best = (queue, credit) }
    }
    guard let best else { return nil }
    levels[priority]?[best.queue]?.credit -= sum
    return best.queue
  }
}
