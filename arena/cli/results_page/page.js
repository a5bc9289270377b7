// Draw the results of a tournament from the data in the page. All texts are set as text: names are anybody's.
(() => {
  "use strict";

  const MAX_PLACE_ON_PODIUM = 3;
  const told = JSON.parse(document.getElementById("data").textContent);
  const results = document.getElementById("results");
  const isBracket = told.settings.format.endsWith("elimination");

  function make(name, text, className) {
    const element = document.createElement(name);
    if (text !== undefined) element.textContent = text;
    if (className) element.className = className;
    return element;
  }

  function addSection(title, note) {
    const section = make("section", undefined, "panel");
    const header = make("header");
    const heading = make("h2", title);
    heading.id = `section-${results.children.length}`;
    section.setAttribute("aria-labelledby", heading.id);
    header.append(heading);
    if (note) header.append(make("span", note, "small muted"));
    section.append(header);
    results.append(section);
    return section;
  }

  // Columns are [title, isNumber, explanation]; a cell is a text or an element. `className` "results" keeps lines whole.
  function addTable(section, columns, rows, className = "results") {
    const box = make("div", undefined, "wide");
    box.tabIndex = 0;
    box.setAttribute("role", "region");
    box.setAttribute("aria-labelledby", section.getAttribute("aria-labelledby"));
    const table = make("table", undefined, className);
    const head = make("tr");
    for (const [title, isNumber, words] of columns) {
      const cell = make("th", words ? undefined : title, isNumber ? "number" : "");
      cell.scope = "col";
      if (words) {
        const short = make("abbr", title);
        short.title = words;
        cell.append(short);
      }
      head.append(cell);
    }
    table.createTHead().append(head);
    const body = table.createTBody();
    for (const row of rows) {
      const line = body.insertRow();
      row.forEach((content, index) => {
        const cell = line.insertCell();
        if (columns[index][1]) cell.className = "number";
        cell.append(content instanceof Node ? content : String(content));
      });
    }
    box.append(table);
    section.append(box);
  }

  const round = (value) => (value === null ? "" : String(Math.round(value * 100) / 100));

  function addStandings(heading, standings, { isKnockout, faults = {} }) {
    const tieBreaks = isKnockout ? [] : told.tie_breaks;
    const hasByes = standings.some((one) => one.byes);
    const hasFaults = Object.keys(faults).length > 0;
    const columns = [["Place", false], ["Bot", false], ["Score", true]];
    columns.push(...tieBreaks.map(([, title, words]) => [title, true, words]));
    columns.push(["W–D–L", true, "won, drawn, lost"]);
    if (hasByes) columns.push(["Byes", true, "Pairings won without playing"]);
    if (hasFaults) columns.push(["Faults", true, "Legs that ended with a fault of the bot"]);
    const rows = standings.map((one) => {
      const row = [one.place || "–", make("b", one.name), round(one.score)];
      row.push(...tieBreaks.map(([key]) => round(one[key])));
      row.push(`${one.wins}–${one.draws}–${one.losses}`);
      if (hasByes) row.push(one.byes);
      if (hasFaults) row.push(faults[one.name] ?? 0);
      return row;
    });
    addTable(addSection(heading), columns, rows);
  }

  function countFaults() {
    const counts = {};
    for (const fault of told.faults) counts[fault.bot] = (counts[fault.bot] ?? 0) + 1;
    return counts;
  }

  // Links to the records of a pairing, a leg each.
  function linkRecords(roundNumber, board) {
    const links = make("span");
    const played = told.matches.filter((one) => one.round === roundNumber && one.board === board);
    for (const { match, verdicts } of played) {
      for (let leg = 1; leg <= verdicts[0].length; leg += 1) {
        const link = make("a", `${match}-${leg}`);
        link.href = `records/${match}-${leg}.json`;
        if (links.hasChildNodes()) links.append(" ");
        links.append(link);
      }
    }
    return links;
  }

  function addRounds() {
    told.rounds.forEach((pairings, index) => {
      const rows = pairings.map((one, board) => {
        const isBye = one.bots.length === 1;
        const points = told.settings.scoring === "game_points" ? one.scores : one.points;
        return [board + 1, one.bots.join(" – "), isBye ? "bye" : points.map(round).join(" : "), linkRecords(index + 1, board + 1)];
      });
      addTable(addSection(`Round ${index + 1}`), [["Board", false], ["Bots", false], ["Points", true], ["Records", false]], rows);
    });
  }

  function addFaults() {
    if (!told.faults.length) return;
    const rows = told.faults.map((one) => [one.bot, one.verdict, `${one.match}-${one.leg}`, one.message]);
    addTable(addSection("Faults"), [["Bot", false], ["Fault", false], ["Leg", false], ["What happened", false]], rows, "");
  }

  function addFailed() {
    const submissions = told.submissions ?? [];
    const failed = submissions.filter((one) => one.problem);
    if (!failed.length) return;
    const section = addSection("Not taking part", `${failed.length} of ${submissions.length} submissions`);
    const rows = failed.map((one) => {
      const reason = make("span", one.problem);
      if (one.log.length) reason.append(make("pre", one.log.join("\n"), "program"));
      const name = make("b", one.name);
      name.append(make("span", one.source, "under"));
      return [name, reason];
    });
    addTable(section, [["Name", false], ["Why", false]], rows, "");
  }

  function addPhases() {
    if (told.phases.length < 2) return;
    for (const phase of told.phases) {
      for (const table of phase.tables) {
        const title = table.name ? `Group ${table.name}` : phase.key[0].toUpperCase() + phase.key.slice(1);
        addStandings(title, table.standings, { isKnockout: phase.key === "knockout" });
      }
    }
  }

  const winners = told.standings.filter((one) => one.place === 1).map((one) => one.name);
  const podium = told.standings.filter((one) => one.place && one.place <= MAX_PLACE_ON_PODIUM);
  document.getElementById("headline").textContent = winners.length === 1 ? `${winners[0]} wins` : `Winners: ${winners.join(", ")}`;
  document.getElementById("summary").textContent =
    `${told.format_title} · ${told.game}, ${told.edition} · ${told.bots.length} bots · ${told.rounds.length} rounds · ${podium.map((one) => `${one.place}. ${one.name}`).join(", ")}`;
  addStandings("Standings", told.standings, { isKnockout: isBracket, faults: countFaults() });
  addFailed();
  addPhases();
  addRounds();
  addFaults();
})();
