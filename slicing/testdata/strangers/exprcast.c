// tune: rank=3 size=4 stop=MPI_Bcast:3
// Rules of an experiment are little formulas: who broadcasts in a phase and how often.
// The reader of formulas gives the quotient a binding as weak as that of the sum, and the ranks no longer agree on how often.
#include <mpi.h>
#include <ctype.h>
#include <stdio.h>
enum
{
    MAXTOKEN = 40, MAXSTACK = 24
};

typedef enum
{
    T_NUMBER, T_NAME, T_OP
} TokenKind;

typedef struct
{
    TokenKind kind;
    char op;
    long value;
} Token;

typedef struct
{
    Token token[MAXTOKEN];
    int n;
} Program;

typedef struct
{
    char name;
    long value;
} Variable;

typedef struct
{
    Variable var[6];
    int nvar;
} Scope;

typedef struct
{
    char op;
    int binding;
    long (*fn)(long, long);
} Operator;

typedef struct
{
    const char *label;
    const char *owner;
    const char *repeat;
} Phase;

static long opAdd(long a, long b)
{
    return a + b; // slice
}

static long opSub(long a, long b)
{
    return a - b; // slice
}

static long opMul(long a, long b)
{
    return a * b; // slice
}

static long opDiv(long a, long b)
{
    return b ? a / b : 0; // slice
}

typedef struct
{
    Operator entry[8];
    size_t n;
} Grammar;

static const Phase phases[] = {
    {"warmup", "p", "2 * p"},
    {"sample", "n - p", "p - 1 + r / n"},
    {"reduce", "0", "2 * (p - 3)"},
};

static void defineOp(Grammar *g, char op, int binding, long (*fn)(long, long))
{
    Operator *o = &g->entry[g->n++]; // slice
    o->op = op; // slice
    o->binding = binding; // slice
    o->fn = fn; // slice
}

static const Operator *findOp(const Grammar *g, char c)
{
    for (size_t i = 0; i < g->n; i++) // slice
        if (g->entry[i].op == c) // slice
            return &g->entry[i]; // slice
    return NULL; // slice
}

static void scopeSet(Scope *s, char name, long value)
{
    int i = 0; // slice
    while (i < s->nvar && s->var[i].name != name) // slice
        i++; // slice
    if (i == s->nvar) // slice
        s->nvar++; // slice
    s->var[i].name = name; // slice
    s->var[i].value = value; // slice
}

static long scopeGet(const Scope *s, char name)
{
    for (int i = 0; i < s->nvar; i++) // slice
        if (s->var[i].name == name) // slice
            return s->var[i].value; // slice
    return 0; // slice
}

static void emit(Program *p, TokenKind kind, char op, long value)
{
    Token t = {kind, op, value}; // slice
    p->token[p->n++] = t; // slice
}

/* The text becomes tokens in postfix order; operators wait on a stack. */
static int compile(Program *p, const Grammar *g, const char *text)
{
    const Operator *stack[MAXSTACK];
    int depth = 0; // slice
    p->n = 0; // slice
    for (const char *c = text; *c; c++) // slice
    {
        if (isspace((unsigned char)*c)) // slice
            continue;
        if (isdigit((unsigned char)*c)) // slice
            emit(p, T_NUMBER, 0, *c - '0'); // slice
        else if (isalpha((unsigned char)*c)) // slice
            emit(p, T_NAME, *c, 0); // slice
        else if (*c == '(') // slice
            stack[depth++] = NULL; // slice
        else if (*c == ')') // slice
        {
            while (depth > 0 && stack[depth - 1]) // slice
                emit(p, T_OP, stack[--depth]->op, 0); // slice
            if (depth-- == 0) // slice
                return 1; // slice
        }
        else
        {
            const Operator *o = findOp(g, *c); // slice
            if (!o) // slice
                return 1; // slice
            while (depth > 0 && stack[depth - 1] && stack[depth - 1]->binding >= o->binding) // slice
                emit(p, T_OP, stack[--depth]->op, 0); // slice
            stack[depth++] = o; // slice
        }
    }
    while (depth > 0 && stack[depth - 1]) // slice
        emit(p, T_OP, stack[--depth]->op, 0); // slice
    return depth != 0; // slice
}

static long evaluate(const Program *p, const Grammar *g, const Scope *s)
{
    long stack[MAXSTACK];
    int depth = 0; // slice
    for (const Token *t = p->token; t < p->token + p->n; t++) // slice
        switch (t->kind) // slice
        {
        case T_NUMBER:
            stack[depth++] = t->value; // slice
            break;
        case T_NAME:
            stack[depth++] = scopeGet(s, t->op); // slice
            break;
        case T_OP:
            depth--; // slice
            stack[depth - 1] = findOp(g, t->op)->fn(stack[depth - 1], stack[depth]); // slice
            break;
        }
    return stack[0]; // slice
}

static long formula(const Grammar *g, const Scope *s, const char *text)
{
    Program p;
    return compile(&p, g, text) ? 0 : evaluate(&p, g, s); // slice
}

int main(int argc, char **argv)
{
    double sample[4] = {0};
    Grammar grammar = {.n = 0}; // slice
    Scope scope = {.nvar = 0}; // slice
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank); // slice
    MPI_Comm_size(MPI_COMM_WORLD, &size); // slice
    defineOp(&grammar, '+', 1, opAdd); // slice
    defineOp(&grammar, '-', 1, opSub); // slice
    defineOp(&grammar, '*', 2, opMul); // slice
    defineOp(&grammar, '/', 1, opDiv); // root
    scopeSet(&scope, 'r', rank); // slice
    scopeSet(&scope, 'n', size); // slice
    for (size_t i = 0; i < sizeof phases / sizeof phases[0]; i++) // slice
    {
        scopeSet(&scope, 'p', (long)i + 1); // slice
        int root = (int)formula(&grammar, &scope, phases[i].owner); // slice
        int repeat = (int)formula(&grammar, &scope, phases[i].repeat); // slice
        while (repeat-- > 0) // slice
            MPI_Bcast(sample, 4, MPI_DOUBLE, root, MPI_COMM_WORLD); // stop
        printf("%s on %d: %g of %d\n", phases[i].label, rank, sample[0], root);
    }
    MPI_Finalize();
    return 0;
}
