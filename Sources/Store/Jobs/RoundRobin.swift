package import FoundationEssentials

/// Items in round-robin order: urgent ones first; within a priority, queues in proportion to their weights;
/// within a queue, company by company.
///
/// Between two turns of a company, each other company with items has one turn, however many items there are.
/// A value without a clock or a database, so that its rules can be tested in isolation.
package struct RoundRobin<Item: Sendable>: Sendable {
  /// The properties that an item is ordered by.
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

  /// The companies with items of one priority and queue, in the order of their turns.
  private struct Round: Sendable {
    let priority: Int
    let queue: String
    let weight: Int
    /// Increases by the weight at each choice among queues, and decreases by the sum of their weights when
    /// this queue is chosen.
    var credit = 0

    private struct Place: Sendable {
      var company: UUID
      var items = Line<Item>()
    }

    /// One place for each company with items, and free places. Only the last item of a company needs hashing
    /// when it is taken.
    private var places: [Place] = []
    private var free: [Int] = []
    private var numbers: [UUID: Int] = [:]
    private var order = Line<Int>()
    /// The place of the last added item, because consecutive items are often of one company.
    private var last = 0

    init(priority: Int, queue: String, weight: Int) {
      self.priority = priority
      self.queue = queue
      self.weight = weight
    }

    var isEmpty: Bool { order.isEmpty }

    /// The company whose turn is next.
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

    /// Removes and returns the next item of the company whose turn it is, and moves the company to the end;
    /// nil if there are no items.
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

  /// The rounds with items, sorted by priority, then by queue. There are few.
  private var rounds: [Round] = []
  private let weights: [String: Int]
  /// The number of items.
  package private(set) var count = 0

  /// - Parameter weights: the weights of queues by name, at least 1; 1 for all other queues.
  package init(weights: [String: Int] = [:]) {
    self.weights = weights
  }

  package var isEmpty: Bool { count == 0 }

  /// The most urgent priority that has items, the lowest number; nil if there are no items.
  package var priority: Int? { rounds.first?.priority }

  /// Adds an item behind those of its company. A company without items comes behind the others.
  package mutating func add(_ item: Item, at place: Place) {
    rounds[index(of: place)].add(item, place.company)
    count += 1
  }

  /// Removes and returns the next item; nil if there are none.
  package mutating func next() -> Item? {
    guard !rounds.isEmpty else { return nil }
    let chosen = chooseRound()
    guard let item = rounds[chosen].next() else { return nil }
    count -= 1
    if rounds[chosen].isEmpty { rounds.remove(at: chosen) }
    return item
  }

  /// Removes and returns all items that meet the condition.
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

  /// Returns the index of the round of a place; adds the round if there is none.
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

  /// Chooses among the queues of the most urgent priority by smooth weighted round-robin.
  private mutating func chooseRound() -> Int {
    let urgent = rounds.prefix { $0.priority == rounds[0].priority }.count
    guard urgent > 1 else { return 0 }
    var best = 0
    var sum = 0
    // Among equal credits the first queue by name is chosen, so that the order is deterministic.
    for index in 0..<urgent {
      rounds[index].credit += rounds[index].weight
      sum += rounds[index].weight
      if rounds[index].credit > rounds[best].credit { best = index }
    }
    rounds[best].credit -= sum
    return best
  }
}
