package import FoundationEssentials

/// Items in the order of whose turn it is: urgent ones first; within a priority the queues in proportion to
/// their weights; within a queue company by company.
///
/// Fair because a company's turn comes around after one turn of each other company, however many items it
/// has. A value without a clock or a database, so that its rules can be tested for themselves.
package struct RoundRobin<Item: Sendable>: Sendable {
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
    let priority: Int
    let queue: String
    let weight: Int
    /// Grows by the weight at each choice, and falls by the sum of all when chosen.
    var credit = 0

    private struct Place: Sendable {
      var company: UUID
      var items = Line<Item>()
    }

    /// One for each company with items, and those that are free: a turn hashes nothing.
    private var places: [Place] = []
    private var free: [Int] = []
    private var numbers: [UUID: Int] = [:]
    private var order = Line<Int>()
    /// Where the last item was added: many of one company come together.
    private var last = 0

    init(priority: Int, queue: String, weight: Int) {
      self.priority = priority
      self.queue = queue
      self.weight = weight
    }

    var isEmpty: Bool { order.isEmpty }

    /// The company whose turn it is.
    var first: UUID? { order.first.map { places[$0].company } }

    mutating func add(_ item: Item, _ company: UUID) {
      if last >= places.count || places[last].company != company || places[last].items.isEmpty {
        last = number(of: company)
      }
      places[last].items.append(item)
    }

    private mutating func number(of company: UUID) -> Int {
      if let number = numbers[company] { return number }
      let number = free.popLast() ?? places.count
      if number == places.count {
        places.append(Place(company: company))
      } else {
        places[number].company = company
      }
      numbers[company] = number
      order.append(number)
      return number
    }

    /// The next item of the company whose turn it is, which then comes last.
    mutating func next() -> Item? {
      guard let number = order.popFirst(), let item = places[number].items.popFirst() else { return nil }
      if places[number].items.isEmpty {
        numbers[places[number].company] = nil
        free.append(number)
      } else {
        order.append(number)
      }
      return item
    }
  }

  /// By priority, then by queue; none without items. They are few.
  private var rounds: [Round] = []
  private let weights: [String: Int]
  /// How many items there are.
  package private(set) var count = 0

  /// - Parameter weights: of queues; 1 for those not named.
  package init(weights: [String: Int] = [:]) {
    self.weights = weights
  }

  package var isEmpty: Bool { count == 0 }

  /// The most urgent priority that has items.
  package var priority: Int? { rounds.first?.priority }

  /// Adds an item behind those of its company; a company that had none comes behind the others.
  package mutating func add(_ item: Item, at place: Place) {
    rounds[index(of: place)].add(item, place.company)
    count += 1
  }

  /// Takes the item whose turn it is.
  package mutating func next() -> Item? {
    guard !rounds.isEmpty else { return nil }
    let chosen = chooseRound()
    guard let item = rounds[chosen].next() else { return nil }
    count -= 1
    if rounds[chosen].isEmpty { rounds.remove(at: chosen) }
    return item
  }

  /// Takes all items for which the condition holds.
  package mutating func remove(where isChosen: (Item) -> Bool) -> [Item] {
    var kept = RoundRobin(weights: weights)
    var removed: [Item] = []
    for var round in rounds {
      while let company = round.first, let item = round.next() {
        if isChosen(item) {
          removed.append(item)
        } else {
          kept.add(item, at: Place(priority: round.priority, queue: round.queue, company: company))
        }
      }
    }
    self = kept
    return removed
  }

  /// The round of a place, which is made if there is none.
  private mutating func index(of place: Place) -> Int {
    var index = 0
    while index < rounds.count {
      if rounds[index].priority == place.priority, rounds[index].queue == place.queue { return index }
      if (rounds[index].priority, rounds[index].queue) > (place.priority, place.queue) { break }
      index += 1
    }
    let weight = max(1, weights[place.queue] ?? 1)
    rounds.insert(Round(priority: place.priority, queue: place.queue, weight: weight), at: index)
    return index
  }

  /// Smooth weighted turns among the queues of the most urgent priority.
  private mutating func chooseRound() -> Int {
    let urgent = rounds.prefix { $0.priority == rounds[0].priority }.count
    guard urgent > 1 else { return 0 }
    var best = 0
    var sum = 0
    // The first by name among equals, so that the order does not depend on chance.
    for index in 0..<urgent {
      rounds[index].credit += rounds[index].weight
      sum += rounds[index].weight
      if rounds[index].credit > rounds[best].credit { best = index }
    }
    rounds[best].credit -= sum
    return best
  }
}
